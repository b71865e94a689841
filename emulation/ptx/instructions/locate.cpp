#include <fmt/format.h>

#include <cstring>

#include "emulation/ptx/instructions/access.hpp"
#include "emulation/ptx/machine/machine.hpp"

namespace xqacheck::ptx {
namespace {

const char* verb(AccessKind kind) {
  return kind == AccessKind::load ? "load" : kind == AccessKind::store ? "store" : "atomic";
}

[[noreturn]] void fault(Warp& warp, Space space, LaneMask lane, std::uint64_t address, const Wanted& wanted,
                        const char* why) {
  constexpr const char* kSpaces[] = {"global", "shared", "local", "param", "const"};
  const bool device = space == Space::global || space == Space::constant;
  warp.cta().machine().fault(warp, lane,
                             fmt::format("{} {} of {} bytes at {} address 0x{:x}{}", why, verb(wanted.kind),
                                         wanted.bytes, kSpaces[static_cast<int>(space)], address,
                                         device ? " (" + warp.cta().memory().describe(address) + ")" : ""));
}

std::byte* pointer(Warp& warp, Space space, unsigned lane, std::uint64_t address, const Wanted& wanted) {
  Cta& cta = warp.cta();
  const auto within = [&](std::span<std::byte> bytes) {
    return address <= bytes.size() && wanted.bytes <= bytes.size() - address ? bytes.data() + address : nullptr;
  };
  switch (space) {
    case Space::shared:
      return within(cta.shared());
    case Space::local:
      return within(cta.local_of(warp.number(), lane));
    case Space::param: {
      if (wanted.kind != AccessKind::load) return nullptr;
      const auto bytes = cta.parameters();
      return within({const_cast<std::byte*>(bytes.data()), bytes.size()});
    }
    default: {
      const auto* block = cta.memory().find(address, wanted.bytes);
      if (block == nullptr || (block->read_only && wanted.kind != AccessKind::load)) return nullptr;
      return block->bytes + (address - block->base);
    }
  }
}

}  // namespace

void addresses_of(Warp& warp, const Inst& inst, LaneMask active, std::uint64_t (&addresses)[32]) {
  if ((inst.flags & kWideAddress) != 0) {
    const auto base = read<std::uint64_t>(warp, inst.a);
    const auto offset = static_cast<std::uint64_t>(inst.offset);
    XQACHECK_EVERY_LANE addresses[lane] = base[lane] + offset;
  } else {
    const auto base = read<std::uint32_t>(warp, inst.a);
    const auto offset = static_cast<std::uint32_t>(inst.offset);
    XQACHECK_EVERY_LANE addresses[lane] = base[lane] + offset;
  }
  (void)active;
}

void locate(Warp& warp, Space space, LaneMask active, const std::uint64_t* addresses, const Wanted& wanted,
            Located& located) {
  Monitor* const monitor = warp.cta().monitor();
  LaneMask legal = active;
  if (monitor != nullptr && space != Space::param)
    legal = monitor->access(
        {warp.at(active), space, wanted.kind, wanted.order, wanted.scope, wanted.bytes, wanted.alignment, addresses});
  const std::uint64_t misaligned = (wanted.alignment == 0 ? wanted.bytes : wanted.alignment) - 1;
  each(legal, [&](unsigned lane) {
    located.at[lane] = pointer(warp, space, lane, addresses[lane], wanted);
    const bool crooked = (addresses[lane] & misaligned) != 0;
    if (located.at[lane] != nullptr && !crooked) return;
    if (monitor == nullptr || space == Space::param)
      fault(warp, space, 1u << lane, addresses[lane], wanted, crooked ? "misaligned" : "out-of-bounds");
    legal &= ~(1u << lane);
  });
  located.legal |= legal;
}

void locate(Warp& warp, const Inst& inst, LaneMask active, std::uint64_t (&addresses)[32], const Wanted& wanted,
            Located& located) {
  located.legal = 0;
  if (!inst.generic) return locate(warp, inst.space, active, addresses, wanted, located);
  constexpr std::pair<std::uint64_t, Space> kWindows[] = {
      {kSharedWindow, Space::shared}, {kLocalWindow, Space::local}, {kParamWindow, Space::param}};
  LaneMask rest = active;
  for (const std::pair<std::uint64_t, Space>& each_window : kWindows) {
    const std::uint64_t window = each_window.first;  // no structured binding: clang 14 captures none
    LaneMask inside = 0;
    each(rest, [&](unsigned lane) { inside |= static_cast<LaneMask>(addresses[lane] >> 32 == window >> 32) << lane; });
    if (inside == 0) continue;
    each(inside, [&](unsigned lane) { addresses[lane] -= window; });
    locate(warp, each_window.second, inside, addresses, wanted, located);
    rest &= ~inside;
  }
  if (rest != 0) locate(warp, Space::global, rest, addresses, wanted, located);
}

void take_order(Decoder& d) {
  const auto order = d.take_one_of({"weak", "relaxed", "acquire", "release", "acq_rel", "volatile", "mmio", "sc"});
  const auto scope = d.take_one_of({"cta", "cluster", "gpu", "sys"});
  if (order == "relaxed" || order == "volatile" || order == "mmio") d.inst.order = Order::relaxed;
  if (order == "acquire") d.inst.order = Order::acquire;
  if (order == "release") d.inst.order = Order::release;
  if (order == "acq_rel" || order == "sc") d.inst.order = Order::acq_rel;
  const bool volatile_access = order == "volatile" || order == "mmio";
  d.inst.scope = scope == "cta"       ? Scope::cta
                 : scope == "cluster" ? Scope::cluster
                 : scope == "gpu"     ? Scope::gpu
                 : scope == "sys"     ? Scope::sys
                 : volatile_access    ? Scope::sys
                                      : Scope::cta;
  if (scope.empty() && !order.empty() && !volatile_access && order != "weak" && d.instruction().opcode != "atom" &&
      d.instruction().opcode != "red")
    d.fail("the scope is missing: .cta, .cluster, .gpu or .sys");
}

}  // namespace xqacheck::ptx
