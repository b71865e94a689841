// Operands: registers, literals, addresses and state spaces as instructions ask for them.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulation/ptx/decode/decoder.hpp"
#include "emulation/ptx/instructions/move.hpp"

namespace xqacheck::ptx {
namespace {

const std::map<std::string_view, Special>& special_names() {
  static const std::map<std::string_view, Special> names = {{"%tid.x", Special::tid_x},
                                                            {"%tid.y", Special::tid_y},
                                                            {"%tid.z", Special::tid_z},
                                                            {"%ntid.x", Special::ntid_x},
                                                            {"%ntid.y", Special::ntid_y},
                                                            {"%ntid.z", Special::ntid_z},
                                                            {"%ctaid.x", Special::ctaid_x},
                                                            {"%ctaid.y", Special::ctaid_y},
                                                            {"%ctaid.z", Special::ctaid_z},
                                                            {"%nctaid.x", Special::nctaid_x},
                                                            {"%nctaid.y", Special::nctaid_y},
                                                            {"%nctaid.z", Special::nctaid_z},
                                                            {"%laneid", Special::laneid},
                                                            {"%warpid", Special::warpid},
                                                            {"%nwarpid", Special::nwarpid},
                                                            {"%smid", Special::smid},
                                                            {"%nsmid", Special::nsmid},
                                                            {"%gridid", Special::gridid},
                                                            {"%lanemask_eq", Special::lanemask_eq},
                                                            {"%lanemask_le", Special::lanemask_le},
                                                            {"%lanemask_lt", Special::lanemask_lt},
                                                            {"%lanemask_ge", Special::lanemask_ge},
                                                            {"%lanemask_gt", Special::lanemask_gt},
                                                            {"%dynamic_smem_size", Special::dynamic_smem_size},
                                                            {"%total_smem_size", Special::total_smem_size},
                                                            {"%clusterid.x", Special::clusterid},
                                                            {"%nclusterid.x", Special::nclusterid},
                                                            {"%cluster_ctaid.x", Special::cluster_ctaid},
                                                            {"%cluster_nctaid.x", Special::cluster_nctaid},
                                                            {"%cluster_ctarank", Special::cluster_ctarank},
                                                            {"%cluster_nctarank", Special::cluster_nctarank}};
  return names;
}

}  // namespace

std::optional<std::uint64_t> Decoder::known_value(const Operand& operand) const {
  if (operand.kind == OperandKind::immediate) return operand.bits;
  if (operand.kind != OperandKind::reg) return std::nullopt;
  std::optional<std::uint64_t> value;
  const auto writes = [&](const Operand& to) {
    const auto is_it = [&](const Operand& part) {
      return part.kind == OperandKind::reg && part.index == operand.index;
    };
    return is_it(to) || std::any_of(to.parts.begin(), to.parts.end(), is_it);
  };
  for (const auto& instruction : frame_->function->body) {
    if (instruction.operands.empty() || !writes(instruction.operands[0])) continue;
    if (value || instruction.guarded || instruction.opcode != "mov" || instruction.operands.size() != 2 ||
        instruction.operands[1].kind != OperandKind::immediate)
      return std::nullopt;
    value = instruction.operands[1].bits;
  }
  return value;
}

Ref Decoder::source(const Operand& operand, Type type) {
  if (operand.minus) fail("a register with a minus is not supported");
  if (operand.negated) fail("'!' is only for predicates");
  const std::uint32_t bytes = bytes_of(type);
  const bool wide = bytes == 8;
  switch (operand.kind) {
    case OperandKind::reg: {
      const Type declared = register_type(operand);
      if (declared == Type::pred && type != Type::pred)
        fail(fmt::format("a predicate cannot be a .{} operand", name_of(type)));
      if (type == Type::pred && declared != Type::pred) fail("a predicate is needed");
      if (bytes_of(declared) < bytes)
        fail(fmt::format("register {} is too narrow for .{}", frame_->function->registers[operand.index].name,
                         name_of(type)));
      if (register_words(declared) > 32 && !wide && type != Type::b128) {
        fail(fmt::format("register {} is wider than .{}", frame_->function->registers[operand.index].name,
                         name_of(type)));
      }
      return frame_->registers[operand.index];
    }
    case OperandKind::immediate: {
      if (type == Type::pred) fail("a predicate is needed, not a number");
      std::uint64_t bits = operand.bits;
      if (operand.is_float && type == Type::f32 && !operand.single)
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
      else if (operand.is_float && type == Type::f64 && operand.single)
        bits =
            std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
      else if (is_float(type) && !operand.is_float && bytes_of(type) >= 4)
        fail("a float literal such as 0f3F800000 is needed");
      if (bytes < 8) bits &= (std::uint64_t{1} << (8 * bytes)) - 1;
      return constant(bits, wide);
    }
    case OperandKind::special: {
      const auto found = special_names().find(operand.name);
      if (found == special_names().end()) fail(fmt::format("special register {} is not supported", operand.name));
      return special(found->second, wide);
    }
    case OperandKind::symbol: {
      const SymbolAddress* found = symbol(operand.name);
      if (found == nullptr) fail(fmt::format("{} is not declared", operand.name));
      if (found->space == StateSpace::global && !wide) fail("the address of a global variable has 64 bits");
      return constant(static_cast<std::uint64_t>(found->address + operand.addend), wide);
    }
    default:
      fail("a register or a number is needed");
  }
}

Ref Decoder::cvt_source(std::size_t i, Type type) {
  const Type declared = register_type(operand(i));
  if (bytes_of(declared) != 8 || bytes_of(type) == 8) return source(i, type);
  const Ref low = fresh_register(Type::b32);
  const Inst saved = inst;
  inst = Inst{};
  inst.run = copy_low_words();
  inst.a = frame_->registers[operand(i).index];
  inst.d = low;
  emit();
  inst = saved;
  return low;
}

Ref Decoder::destination(const Operand& operand, Type type) {
  if (operand.kind == OperandKind::sink) return kNoRef;
  if (operand.kind != OperandKind::reg) fail("the destination must be a register");
  const Type declared = register_type(operand);
  if ((declared == Type::pred) != (type == Type::pred))
    fail(type == Type::pred ? "the destination must be a predicate" : "the destination cannot be a predicate");
  if (register_words(declared) != register_words(type) || bytes_of(declared) < bytes_of(type))
    fail(fmt::format("register {} does not fit .{}", frame_->function->registers[operand.index].name, name_of(type)));
  return frame_->registers[operand.index];
}

Ref Decoder::predicate(const Operand& operand, bool& negated) {
  negated = operand.negated;
  Operand plain = operand;
  plain.negated = false;
  if (plain.kind == OperandKind::immediate) {  // a literal predicate operand: 0 or not 0
    negated = negated != (plain.bits != 0);
    // A predicate that is false for every lane.
    return constant(0, false);
  }
  return source(plain, Type::pred);
}

std::uint32_t Decoder::immediate(std::size_t i, const char* what) {
  const Operand& value = operand(i);
  if (value.kind != OperandKind::immediate || value.is_float) fail(fmt::format("{} must be a number", what));
  return static_cast<std::uint32_t>(value.bits);
}

void Decoder::address(const Operand& operand, StateSpace space) {
  if (operand.kind != OperandKind::address) fail("an address in brackets is needed");
  inst.offset = operand.addend;
  inst.flags |= kWideAddress;
  if (operand.base == OperandKind::reg) {
    const Type type = frame_->function->registers[operand.index].type;
    Operand base;
    base.kind = OperandKind::reg;
    base.index = operand.index;
    if (bytes_of(type) == 4) {
      if (space == StateSpace::generic || space == StateSpace::global) fail("an address of this space has 64 bits");
      inst.flags = static_cast<std::uint8_t>(inst.flags & ~kWideAddress);
      inst.a = source(base, Type::u32);
    } else {
      inst.a = source(base, Type::u64);
    }
    return;
  }
  std::int64_t at = static_cast<std::int64_t>(operand.base == OperandKind::immediate ? operand.bits : 0);
  if (operand.base == OperandKind::symbol) {
    const SymbolAddress* found = symbol(operand.name);
    if (found == nullptr) fail(fmt::format("{} is not declared", operand.name));
    at = found->address;
  }
  inst.a = constant(static_cast<std::uint64_t>(at), true);
}

StateSpace Decoder::take_space(std::initializer_list<StateSpace> allowed, StateSpace otherwise) {
  constexpr std::pair<std::string_view, StateSpace> kSpaces[] = {
      {"global", StateSpace::global},      {"shared", StateSpace::shared},    {"shared::cta", StateSpace::shared},
      {"local", StateSpace::local},        {"const", StateSpace::constant},   {"param", StateSpace::param},
      {"param::entry", StateSpace::param}, {"param::func", StateSpace::param}};
  for (const auto& [name, space] : kSpaces) {
    if (std::find(allowed.begin(), allowed.end(), space) == allowed.end()) continue;
    if (take(name)) return space;
  }
  return otherwise;
}

// Fills inst.space. Parameters of calls live in local memory; those of the kernel in the parameter bank.
void Decoder::set_space(StateSpace space, const Operand& address) {
  if (space == StateSpace::param) {
    if (address.base == OperandKind::symbol) {
      const SymbolAddress* found = symbol(address.name);
      if (found == nullptr) fail(fmt::format("{} is not declared", address.name));
      space = found->space;
    } else {
      space = frame_->kernel ? StateSpace::param : StateSpace::local;
    }
  }
  inst.generic = space == StateSpace::generic;
  switch (space) {
    case StateSpace::shared:
      inst.space = Space::shared;
      break;
    case StateSpace::local:
      inst.space = Space::local;
      break;
    case StateSpace::param:
      inst.space = Space::param;
      break;
    case StateSpace::constant:
      inst.space = Space::constant;
      break;
    default:
      inst.space = Space::global;
  }
}

}  // namespace xqacheck::ptx
