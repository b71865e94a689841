// ld, ldu, st in every state space, scalar and vector, with orders, scopes and cache hints.
#include "emulation/ptx/instructions/access.hpp"

#include <cstring>

#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/machine/cta.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using Q = std::uint64_t;

Wanted wanted_of(const Inst& inst, AccessKind kind) {
  return {kind, inst.order, inst.scope, std::uint32_t{inst.bytes} * inst.elements, 0};
}

template <class M, class R>
void load_element(Warp& warp, Ref ref, const Located& located, LaneMask active, unsigned offset) {
  auto* out = reinterpret_cast<Stored<R>*>(warp.words(ref));
  each(active & ~located.legal, [&](unsigned lane) { out[lane] = 0; });
  each(located.legal, [&](unsigned lane) {
    M value;
    std::memcpy(&value, located.at[lane] + offset, sizeof value);
    out[lane] = static_cast<Stored<R>>(static_cast<R>(value));
  });
}

template <class M, class R>
Step run_load(Warp& warp, const Inst& inst, LaneMask active) {
  std::uint64_t addresses[32];
  Located located;
  addresses_of(warp, inst, active, addresses);
  locate(warp, inst, active, addresses, wanted_of(inst, AccessKind::load), located);
  const Ref* to = warp.cta().program().lists.data() + inst.list;
  for (unsigned i = 0; i < inst.elements; ++i)
    if (to[i] != kNoRef) load_element<M, R>(warp, to[i], located, active, i * static_cast<unsigned>(sizeof(M)));
  return Step::next;
}

template <class M>
Step run_store(Warp& warp, const Inst& inst, LaneMask active) {
  std::uint64_t addresses[32];
  Located located;
  addresses_of(warp, inst, active, addresses);
  locate(warp, inst, active, addresses, wanted_of(inst, AccessKind::store), located);
  const Ref* from = warp.cta().program().lists.data() + inst.list;
  for (unsigned i = 0; i < inst.elements; ++i) {
    const auto values = read<M>(warp, from[i]);
    each(located.legal, [&](unsigned lane) {
      const M value = values[lane];
      std::memcpy(located.at[lane] + i * sizeof(M), &value, sizeof value);
    });
  }
  return Step::next;
}

unsigned take_vector(Decoder& d) {
  const auto vector = d.take_one_of({"v2", "v4"});
  return vector.empty() ? 1 : vector == "v2" ? 2 : 4;
}

// .L2::cache_hint brings a policy operand, of which nothing depends.
void take_policy(Decoder& d, std::size_t at) {
  bool hint = false;
  for (const auto& modifier : d.instruction().modifiers) hint = hint || modifier == "L2::cache_hint";
  d.take_cache_hints();
  d.expect_operands(at, at + (hint ? 1 : 0));
  if (d.operand_count() > at) d.source(at, Type::b64);
}

std::vector<const Operand*> elements_of(const Operand& operand) {
  std::vector<const Operand*> list;
  if (operand.kind == OperandKind::vector) {
    for (const auto& part : operand.parts) list.push_back(&part);
  } else {
    list.push_back(&operand);
  }
  return list;
}

constexpr std::initializer_list<StateSpace> kSpaces = {StateSpace::global, StateSpace::shared, StateSpace::local,
                                                       StateSpace::constant, StateSpace::param};

template <class M>
Handler load_handler(std::uint32_t register_bytes) {
  if constexpr (std::is_signed_v<M>) {
    if (register_bytes == 8) return run_load<M, std::int64_t>;
    if constexpr (sizeof(M) <= 4) {
      if (register_bytes == 4) return run_load<M, std::int32_t>;
    }
    if constexpr (sizeof(M) <= 2) return run_load<M, std::uint16_t>;
    return nullptr;
  } else {
    if (register_bytes == 8) return run_load<M, Q>;
    if constexpr (sizeof(M) <= 4) return run_load<M, W>;
    return nullptr;
  }
}

Handler loader(Type type, std::uint32_t register_bytes) {
  switch (bytes_of(type)) {
    case 1:
      if (!is_signed(type)) return load_handler<std::uint8_t>(register_bytes);
      return load_handler<std::int8_t>(register_bytes);
    case 2:
      return is_signed(type) && register_bytes > 2 ? load_handler<std::int16_t>(register_bytes)
                                                   : load_handler<std::uint16_t>(register_bytes);
    case 4:
      return is_signed(type) ? load_handler<std::int32_t>(register_bytes) : load_handler<W>(register_bytes);
    case 8:
      return load_handler<Q>(register_bytes);
    default:
      return nullptr;
  }
}

void decode_ld(Decoder& d) {
  d.take("nc");
  take_order(d);
  const StateSpace space = d.take_space(kSpaces, StateSpace::generic);
  const unsigned elements = take_vector(d);
  const Type type = d.take_type();
  take_policy(d, 2);
  d.take_one_of({"unified"});
  d.address(d.operand(1), space);
  d.set_space(space, d.operand(1));
  d.inst.bytes = static_cast<std::uint8_t>(bytes_of(type));
  d.inst.elements = static_cast<std::uint8_t>(elements);
  const auto list = elements_of(d.operand(0));
  if (list.size() != elements) d.fail("the number of registers is not that of the vector");
  std::vector<Ref> refs;
  std::uint32_t register_bytes = 0;
  for (const Operand* part : list) {
    if (part->kind == OperandKind::sink) {
      refs.push_back(kNoRef);
      continue;
    }
    const Type declared = d.register_type(*part);
    if (declared == Type::none || declared == Type::pred || bytes_of(declared) < bytes_of(type))
      d.fail("a register of the type's width is needed");
    if (register_bytes != 0 && bytes_of(declared) != register_bytes)
      d.fail("the registers of a vector must have one width");
    register_bytes = bytes_of(declared);
    refs.push_back(d.destination(*part, declared));
  }
  d.set_list(refs);
  d.inst.run = loader(type, register_bytes == 0 ? bytes_of(type) : register_bytes);
  if (d.inst.run == nullptr) d.fail("the type is not supported");
}

void decode_st(Decoder& d) {
  take_order(d);
  const StateSpace space = d.take_space(kSpaces, StateSpace::generic);
  const unsigned elements = take_vector(d);
  const Type type = d.take_type();
  take_policy(d, 2);
  d.address(d.operand(0), space);
  d.set_space(space, d.operand(0));
  d.inst.bytes = static_cast<std::uint8_t>(bytes_of(type));
  d.inst.elements = static_cast<std::uint8_t>(elements);
  const auto list = elements_of(d.operand(1));
  if (list.size() != elements) d.fail("the number of registers is not that of the vector");
  std::vector<Ref> refs;
  for (const Operand* part : list) refs.push_back(list.size() == 1 ? d.cvt_source(1, type) : d.source(*part, type));
  d.set_list(refs);
  switch (bytes_of(type)) {
    case 1:
      d.inst.run = run_store<std::uint8_t>;
      break;
    case 2:
      d.inst.run = run_store<std::uint16_t>;
      break;
    case 4:
      d.inst.run = run_store<W>;
      break;
    case 8:
      d.inst.run = run_store<Q>;
      break;
    default:
      d.fail("the type is not supported");
  }
}

}  // namespace

void add_access(Opcodes& table) {
  table["ld"] = decode_ld;
  table["ldu"] = decode_ld;
  table["st"] = decode_st;
}

}  // namespace xqacheck::ptx
