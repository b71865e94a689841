// cp.async (16, 8 and 4 bytes), commit_group, wait_group, wait_all, mbarrier.arrive.
#include <cstring>

#include "emulation/ptx/instructions/access.hpp"
#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/instructions/mbarrier_object.hpp"
#include "emulation/ptx/machine/machine.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using Q = std::uint64_t;

std::uint32_t delay_of_copies(Cta& cta) {
  return cta.machine().schedule() == nullptr ? 0 : cta.machine().schedule()->copy_delay();
}

// Without a monitor: the first lane that is out of bounds.
void check(Warp& warp, LaneMask active, const Q* to, const Q* from, const W* source, W bytes) {
  each(active, [&](unsigned lane) {
    Cta& cta = warp.cta();
    if (to[lane] % bytes != 0 || from[lane] % bytes != 0)
      cta.machine().fault(warp, 1u << lane, "cp.async: an address is not aligned to the size");
    if (to[lane] + bytes > cta.shared().size())
      cta.machine().fault(warp, 1u << lane, "cp.async: the destination is outside shared memory");
    if (source[lane] != 0 && cta.memory().find(from[lane], source[lane]) == nullptr)
      cta.machine().fault(warp, 1u << lane,
                          "cp.async: the source is out of bounds: " + cta.memory().describe(from[lane]));
  });
}

Step run_copy(Warp& warp, const Inst& inst, LaneMask active) {
  Cta& cta = warp.cta();
  Q to[32], from[32];
  W source[32];
  Inst destination = inst;  // the second address lies in c and target
  addresses_of(warp, inst, active, to);
  if (inst.generic) XQACHECK_EVERY_LANE to[lane] -= kSharedWindow;
  destination.a = inst.c, destination.offset = static_cast<std::int32_t>(inst.target);
  destination.flags = kWideAddress;
  addresses_of(warp, destination, active, from);
  const W bytes = inst.bytes;
  if (inst.b == kNoRef) {
    XQACHECK_EVERY_LANE source[lane] = bytes;
  } else {
    const auto given = read<W>(warp, inst.b);
    XQACHECK_EVERY_LANE source[lane] = given[lane] < bytes ? given[lane] : bytes;
  }
  if (inst.e != kNoRef) {  // ignore-src: zeros instead
    LaneMask ignored = *warp.words(inst.e);
    if (inst.which != 0) ignored = ~ignored;
    each(active & ignored, [&](unsigned lane) { source[lane] = 0; });
  }
  LaneMask legal = active;
  if (Monitor* monitor = cta.monitor()) {
    AsyncCopy copy;
    copy.at = warp.at(active);
    copy.bytes = bytes;
    copy.source_bytes = source;
    copy.to = to, copy.from = from;
    legal = monitor->async_copy(copy);
  } else {
    check(warp, active, to, from, source, bytes);
  }
  const std::uint32_t delay = delay_of_copies(cta);
  each(legal, [&](unsigned lane) {
    if (to[lane] + bytes > cta.shared().size()) return;
    cta.copies(warp.number()).issue(cta, {lane, 0, to[lane], from[lane], bytes, source[lane]}, delay);
  });
  return Step::next;
}

Step run_commit(Warp& warp, const Inst&, LaneMask active) {
  each(active, [&](unsigned lane) { warp.cta().copies(warp.number()).commit(lane); });
  if (Monitor* monitor = warp.cta().monitor()) monitor->copy_commit(warp.at(active));
  return Step::next;
}

Step run_wait(Warp& warp, const Inst& inst, LaneMask active) {
  const auto left = static_cast<W>(inst.offset);
  each(active, [&](unsigned lane) { warp.cta().copies(warp.number()).wait(warp.cta(), lane, left, inst.which != 0); });
  // wait_all takes uncommitted copies too: that is a commit and a wait for everything.
  if (Monitor* monitor = warp.cta().monitor()) {
    if (inst.which != 0) monitor->copy_commit(warp.at(active));
    monitor->copy_wait(warp.at(active), left);
  }
  return Step::next;
}

Step run_arrive(Warp& warp, const Inst& inst, LaneMask active) {
  Cta& cta = warp.cta();
  Q addresses[32];
  addresses_of(warp, inst, active, addresses);
  if (inst.generic) XQACHECK_EVERY_LANE addresses[lane] -= kSharedWindow;
  const WarpAt at = warp.at(active);
  // The checks hear of it now: what the warp does later is not published by an arrival that was due before.
  if (Monitor* monitor = cta.monitor())
    each_object(active, addresses, [&](LaneMask lanes, Q address) {
      monitor->copy_arrive(warp.at(lanes), cta.linear(), address);
    });
  each(active, [&](unsigned lane) {
    if (addresses[lane] % 8 != 0 || addresses[lane] + 8 > cta.shared().size())
      cta.machine().fault(warp, 1u << lane,
                          "cp.async.mbarrier.arrive: the mbarrier lies outside shared memory or is not aligned");
    if (inst.which == 0) mbarrier_expect(warp, at, addresses[lane], 1);
    cta.copies(warp.number()).arrive_later({lane, addresses[lane], at.instruction});
  });
  return Step::next;
}

void decode_arrive(Decoder& d) {
  if (!d.take("arrive")) d.fail(".arrive is missing");
  d.inst.which = d.take("noinc") ? 1 : 0;
  const bool named = !d.take_one_of({"shared::cta", "shared"}).empty();
  d.take("b64");
  d.expect_operands(1, 1);
  d.address(d.operand(0), named ? StateSpace::shared : StateSpace::generic);
  d.inst.generic = !named;
  d.inst.space = Space::shared;
  d.inst.run = run_arrive;
}

void decode_copy(Decoder& d) {
  if (d.take_one_of({"ca", "cg"}).empty()) d.fail(".ca or .cg is missing");
  if (d.take_one_of({"shared", "shared::cta"}).empty() || !d.take("global")) d.fail("only .shared.global is supported");
  bool hint = false;
  for (const auto& modifier : d.instruction().modifiers) hint = hint || modifier == "L2::cache_hint";
  d.take_cache_hints();
  d.expect_operands(3, hint ? 5 : 4);
  const W bytes = d.immediate(2, "the size of the copy");
  if (bytes != 4 && bytes != 8 && bytes != 16) d.fail("the size must be 4, 8 or 16");
  d.address(d.operand(1), StateSpace::global);
  const Inst from = d.inst;
  d.inst.flags = 0;
  d.address(d.operand(0), StateSpace::shared);
  d.inst.c = from.a;
  if (from.offset < INT32_MIN || from.offset > INT32_MAX) d.fail("the offset of the source is too large");
  d.inst.target = static_cast<W>(static_cast<std::int32_t>(from.offset));
  d.inst.bytes = static_cast<std::uint8_t>(bytes);
  d.inst.space = Space::shared;
  if (d.operand_count() > (hint ? 4u : 3u)) {
    const Operand& third = d.operand(3);
    if (d.register_type(third) == Type::pred) {
      bool negated = false;
      d.inst.e = d.predicate(third, negated);
      d.inst.which = negated ? 1 : 0;
    } else {
      d.inst.b = d.source(third, Type::u32);
    }
  }
  d.inst.run = run_copy;
}

void decode_cp(Decoder& d) {
  if (!d.take("async")) d.fail("only cp.async is supported");
  for (const auto& modifier : d.instruction().modifiers)
    if (modifier == "bulk" || modifier == "reduce") d.fail("bulk and tensor copies are not supported yet");
  if (d.take("commit_group")) {
    d.expect_operands(0, 0);
    d.inst.run = run_commit;
  } else if (d.take("wait_group")) {
    d.expect_operands(1, 1);
    d.inst.offset = d.immediate(0, "the number of groups");
    d.inst.run = run_wait;
  } else if (d.take("wait_all")) {
    d.expect_operands(0, 0);
    d.inst.which = 1;
    d.inst.run = run_wait;
  } else if (d.take("mbarrier")) {
    decode_arrive(d);
  } else {
    decode_copy(d);
  }
}

// The policy is an opaque number.
Step run_policy(Warp& warp, const Inst& inst, LaneMask active) {
  write<Q>(warp, inst.d, active, [](unsigned) { return Q{0}; });
  return Step::next;
}

void decode_createpolicy(Decoder& d) {
  if (d.take_one_of({"fractional", "range", "cvt"}).empty()) d.fail(".fractional or .range is missing");
  d.take("L2");
  d.take("global");
  while (!d.take_one_of({"L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"}).empty()) {
  }
  d.take("b64");
  d.inst.d = d.destination(0, Type::b64);
  d.inst.run = run_policy;
}

}  // namespace

void add_copies(Opcodes& table) {
  table["cp"] = decode_cp;
  table["createpolicy"] = decode_createpolicy;
}

}  // namespace xqacheck::ptx
