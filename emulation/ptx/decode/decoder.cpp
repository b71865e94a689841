#include "emulation/ptx/decode/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulation/ptx/instructions/move.hpp"

namespace xqacheck::ptx {
namespace {

std::uint32_t words_of(Type type) {
  if (type == Type::pred) return 1;
  return bytes_of(type) == 8 ? 64 : bytes_of(type) == 16 ? 128 : 32;
}

bool is_cache_hint(std::string_view modifier) {
  constexpr std::string_view kHints[] = {"ca",
                                         "cg",
                                         "cs",
                                         "lu",
                                         "cv",
                                         "wb",
                                         "wt",
                                         "L2::64B",
                                         "L2::128B",
                                         "L2::256B",
                                         "L2::cache_hint",
                                         "L1::evict_normal",
                                         "L1::evict_unchanged",
                                         "L1::evict_first",
                                         "L1::evict_last",
                                         "L1::no_allocate",
                                         "L2::evict_last",
                                         "L2::evict_normal",
                                         "L2::evict_first"};
  return std::find(std::begin(kHints), std::end(kHints), modifier) != std::end(kHints);
}

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

void Decoder::fail(const std::string& what) const {
  const SourcePlace place = instruction_ == nullptr ? SourcePlace{} : instruction_->place;
  throw PtxError(fmt::format("{}: {}{}", module_.describe(place),
                             instruction_ == nullptr ? "" : "'" + instruction_->text() + "': ", what));
}

void Decoder::begin(const Instruction& instruction) {
  instruction_ = &instruction;
  modifiers_ = instruction.modifiers;
  inst = Inst{};
}

bool Decoder::take(std::string_view modifier) {
  const auto found = std::find(modifiers_.begin(), modifiers_.end(), modifier);
  if (found == modifiers_.end()) return false;
  modifiers_.erase(found);
  return true;
}

std::string_view Decoder::take_one_of(std::initializer_list<std::string_view> modifiers) {
  for (const auto modifier : modifiers)
    if (take(modifier)) return modifier;
  return "";
}

void Decoder::take_cache_hints() {
  std::erase_if(modifiers_, is_cache_hint);
}

bool Decoder::has_type() const {
  return std::any_of(modifiers_.begin(), modifiers_.end(), [](const auto& name) { return type_of(name).has_value(); });
}

Type Decoder::take_type() {
  for (auto it = modifiers_.begin(); it != modifiers_.end(); ++it) {
    const auto type = type_of(*it);
    if (!type) continue;
    modifiers_.erase(it);
    return *type;
  }
  fail("the type is missing");
}

void Decoder::finish() {
  if (!modifiers_.empty()) fail(fmt::format("modifier .{} is unknown or not supported here", modifiers_.front()));
}

const Operand& Decoder::operand(std::size_t i) const {
  if (i >= instruction_->operands.size()) fail(fmt::format("operand {} is missing", i + 1));
  return instruction_->operands[i];
}

void Decoder::expect_operands(std::size_t least, std::size_t most) {
  const std::size_t count = operand_count();
  if (count < least || count > most)
    fail(fmt::format("{} operands, expected {}", count,
                     least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most)));
}

Ref Decoder::constant(std::uint64_t bits, bool wide) {
  const auto [place, fresh] = constants_.emplace(std::make_pair(bits, wide), 0);
  if (!fresh) return place->second;
  const auto at = static_cast<Ref>(program_.constants.size());
  for (int lane = 0; lane < 32; ++lane) {
    program_.constants.push_back(static_cast<std::uint32_t>(bits));
    if (wide) program_.constants.push_back(static_cast<std::uint32_t>(bits >> 32));
  }
  return place->second = ~at;
}

Ref Decoder::fresh_register(Type type) {
  // Vector loads of the host like lanes on cache lines: 16 words.
  std::uint32_t& words = program_.register_words;
  const std::uint32_t size = words_of(type);
  if (size > 1) words = (words + 15) / 16 * 16;
  const auto at = static_cast<Ref>(words);
  words += size;
  return at;
}

Ref Decoder::special(Special what, bool wide) {
  const auto [place, fresh] = specials_.emplace(std::make_pair(static_cast<int>(what), wide), 0);
  if (!fresh) return place->second;
  place->second = fresh_register(wide ? Type::u64 : Type::u32);
  program_.specials.push_back({what, place->second, wide});
  return place->second;
}

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

Ref Decoder::carry() {
  if (carry_ == kNoRef) carry_ = fresh_register(Type::pred);
  return carry_;
}

Type Decoder::register_type(const Operand& operand) const {
  if (operand.kind != OperandKind::reg) return Type::none;
  return frame_->function->registers[operand.index].type;
}

const SymbolAddress* Decoder::symbol(const std::string& name) const {
  if (const auto found = frame_->symbols.find(name); found != frame_->symbols.end()) return &found->second;
  if (const auto found = globals_.find(name); found != globals_.end()) return &found->second;
  return nullptr;
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
      if (words_of(declared) > 32 && !wide && type != Type::b128) {
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
  if (words_of(declared) != words_of(type) || bytes_of(declared) < bytes_of(type))
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

void Decoder::set_list(const std::vector<Ref>& refs) {
  inst.list = static_cast<std::uint32_t>(program_.lists.size());
  inst.list_count = static_cast<std::uint16_t>(refs.size());
  program_.lists.insert(program_.lists.end(), refs.begin(), refs.end());
}

void Decoder::emit() {
  if (instruction_->guarded && inst.guard == kNoRef) {
    inst.guard = frame_->registers[instruction_->guard];
    inst.guard_negated = instruction_->guard_negated;
  }
  program_.code.push_back(inst);
  const SourcePlace& place = instruction_->place;
  program_.places.push_back({place.line, place.source_file, place.source_line, place.call_site});
  program_.texts.push_back(instruction_->text());
}

void Decoder::branch_to(std::uint32_t label) {
  label_uses_.push_back({false, static_cast<std::uint32_t>(program_.code.size()), label});
}

void Decoder::branch_table(const Operand& table) {
  const auto found = frame_->function->branch_tables.find(table.name);
  if (found == frame_->function->branch_tables.end()) fail("a list of .branchtargets is needed");
  set_list(std::vector<Ref>(found->second.size(), 0));
  for (std::size_t i = 0; i < found->second.size(); ++i)
    label_uses_.push_back({true, static_cast<std::uint32_t>(inst.list + i), found->second[i]});
}

void Decoder::return_from_frame() {
  returns_.push_back(static_cast<std::uint32_t>(program_.code.size()));
}

}  // namespace xqacheck::ptx
