#include "emulation/ptx/decode/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xqacheck::ptx {
namespace {

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

}  // namespace

std::uint32_t register_words(Type type) {
  if (type == Type::pred) return 1;
  return bytes_of(type) == 8 ? 64 : bytes_of(type) == 16 ? 128 : 32;
}

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
  const std::uint32_t size = register_words(type);
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
