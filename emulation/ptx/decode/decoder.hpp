// What the decoders of instruction groups use: modifiers, operands, errors.
//
// A decoder takes the modifiers that it knows; what is left over is an error, so that nothing is ignored by accident.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulation/ptx/front/module.hpp"
#include "emulation/ptx/machine/program.hpp"

namespace xqacheck::ptx {

// Addresses of the variables of a module that is loaded.
struct SymbolAddress {
  StateSpace space = StateSpace::global;
  std::int64_t address = 0;
};
using Symbols = std::map<std::string, SymbolAddress>;

// One expansion of a function: the kernel itself, or a call.
struct Frame {
  const Function* function = nullptr;
  bool kernel = false;
  std::vector<Ref> registers;  // by register of the function
  Symbols symbols;             // variables of the body and parameters
};

// Words of the register file that a register of the type takes.
std::uint32_t register_words(Type type);

class Decoder {
 public:
  Decoder(const Module& module, Program& program, const Symbols& globals)
      : module_(module), program_(program), globals_(globals) {}

  // ---- modifiers of the current instruction
  bool take(std::string_view modifier);
  // The one of the list that is there, or "".
  std::string_view take_one_of(std::initializer_list<std::string_view> modifiers);
  // Hints that change nothing: cache operators and L2 promotion.
  void take_cache_hints();
  bool has_type() const;
  Type take_type();  // the first type modifier left
  void finish();     // error if a modifier is left

  // ---- operands
  std::size_t operand_count() const { return instruction_->operands.size(); }
  const Operand& operand(std::size_t i) const;
  void expect_operands(std::size_t least, std::size_t most);
  Ref source(std::size_t i, Type type) { return source(operand(i), type); }
  Ref source(const Operand& operand, Type type);
  // A source whose register may be wider than the type (its low bits count): cvt, st. A 64-bit register of a narrower
  // type is not read as such: the low words are copied into a register of their own first.
  Ref cvt_source(std::size_t i, Type type);
  Ref destination(std::size_t i, Type type) { return destination(operand(i), type); }
  Ref destination(const Operand& operand, Type type);  // kNoRef for '_'
  Type register_type(const Operand& operand) const;
  // A predicate source; `negated` if it is !p.
  Ref predicate(const Operand& operand, bool& negated);
  // Predicate operand with the negation done by an instruction in front; never negated.
  std::uint32_t immediate(std::size_t i, const char* what);
  bool is_immediate(std::size_t i) const { return operand(i).kind == OperandKind::immediate; }
  // [base + offset] to inst.a and inst.offset (base always 64 bits wide: `wide` in flags, see kWideAddress).
  void address(const Operand& operand, StateSpace space);
  StateSpace take_space(std::initializer_list<StateSpace> allowed, StateSpace otherwise);
  void set_space(StateSpace space, const Operand& address);
  void set_list(const std::vector<Ref>& refs);

  Ref constant(std::uint64_t bits, bool wide);
  Ref fresh_register(Type type);
  Ref special(Special what, bool wide);
  // Bits of a literal, or of a register that the function writes once, by an unconditional mov of a literal.
  std::optional<std::uint64_t> known_value(const Operand& operand) const;
  Ref carry();  // the flag of add.cc and its kind

  [[noreturn]] void fail(const std::string& what) const;
  const Instruction& instruction() const { return *instruction_; }
  const Function& function() const { return *frame_->function; }
  Inst inst;    // being made
  void emit();  // appends `inst` to the program; done by the driver for most

  // ---- the driver (decode.cpp)
  void function_body(Frame& frame);
  std::uint32_t local_variable(std::uint64_t bytes, std::uint32_t align);
  void begin(const Instruction& instruction);
  Frame& frame() { return *frame_; }
  void call();
  Program& program() { return program_; }
  const Module& module() const { return module_; }
  void branch_to(std::uint32_t label);      // inst.target becomes the place of the label when the frame is done
  void branch_table(const Operand& table);  // inst.list becomes the places of its labels
  void return_from_frame();

 private:
  const SymbolAddress* symbol(const std::string& name) const;
  void declare(Frame& frame);

  const Module& module_;
  Program& program_;
  const Symbols& globals_;
  const Instruction* instruction_ = nullptr;
  std::vector<std::string> modifiers_;
  Frame* frame_ = nullptr;
  std::vector<const Function*> calls_;
  std::map<std::pair<std::uint64_t, bool>, Ref> constants_;
  std::map<std::pair<int, bool>, Ref> specials_;
  struct LabelUse {
    bool in_list;      // of a branch table, else the target of an instruction
    std::uint32_t at;  // index into Program::lists or Program::code
    std::uint32_t label;
  };
  std::vector<LabelUse> label_uses_;
  Ref carry_ = kNoRef;
  std::vector<std::uint32_t> returns_;  // instructions that jump behind the call
};

// Flags of Inst for memory instructions.
inline constexpr std::uint8_t kWideAddress = 1;  // the base register has 64 bits
inline constexpr std::uint8_t kSignExtend = 2;
inline constexpr std::uint8_t kWideData = 4;  // the data registers have 64 bits

using DecodeInstruction = void (*)(Decoder&);
using Opcodes = std::map<std::string, DecodeInstruction, std::less<>>;
const Opcodes& opcodes();

}  // namespace xqacheck::ptx
