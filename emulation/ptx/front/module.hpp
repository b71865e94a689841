// A PTX module as text says it: variables, functions, instructions with resolved names. No meaning of opcodes yet (that
// is decode/). Line numbers are kept everywhere.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulation/ptx/front/error.hpp"
#include "emulation/ptx/front/type.hpp"

namespace xqacheck::ptx {

enum class StateSpace : std::uint8_t { generic, global, shared, local, constant, param, reg };
const char* name_of(StateSpace space);

// A register of a function; `name` is as written, scoped names may repeat.
struct RegisterDeclaration {
  std::string name;
  Type type = Type::b32;
};

// One initialiser that is an address: filled in when the module is loaded.
struct AddressInit {
  std::uint64_t offset = 0;  // bytes into the variable
  std::string symbol;
  std::int64_t addend = 0;
  bool generic = false;
};

struct Variable {
  std::string name;
  StateSpace space = StateSpace::global;
  Type type = Type::b8;
  std::uint64_t count = 1;            // elements
  std::uint32_t align = 0;            // bytes; 0: that of the type
  bool external = false;              // .extern; with no size in .shared: dynamic shared memory
  bool unsized = false;               // name[]
  std::vector<std::uint8_t> initial;  // empty: zeros (global, const) or undefined (shared, local)
  std::vector<AddressInit> addresses;
  SourcePlace place;

  std::uint64_t bytes() const { return unsized ? 0 : count * bytes_of(type); }
  std::uint32_t alignment() const { return align != 0 ? align : bytes_of(type); }
};

enum class OperandKind : std::uint8_t {
  reg,        // index of a register of the function; `negated`: !p
  immediate,  // bits; `is_float`: an f32 (bits of 32) or f64 literal
  special,    // %tid.x: name
  symbol,     // name of a variable or function, plus addend
  address,    // [base + addend]: base is a register, symbol or immediate
  vector,     // {a, b, …}
  pair,       // d|p: parts[0], parts[1]
  label,      // index of a label of the function
  sink,       // _
};

struct Operand {
  OperandKind kind = OperandKind::sink;
  bool negated = false;  // !p
  bool minus = false;    // -a in front of a register (video instructions; refused where it has no meaning)
  bool is_float = false;
  bool single = false;                        // a float literal of 32 bits
  OperandKind base = OperandKind::immediate;  // of an address
  std::uint32_t index = 0;                    // register or label
  std::uint64_t bits = 0;
  std::int64_t addend = 0;
  std::string name;  // of special registers and symbols
  std::vector<Operand> parts;
};

struct Instruction {
  std::string opcode;                  // "ld"
  std::vector<std::string> modifiers;  // "global", "nc", "v4", "u32"
  std::vector<Operand> operands;
  // call: operands are (returns…), callee, (arguments…); these say how many returns there are.
  std::uint32_t returns = 0;
  bool guarded = false, guard_negated = false;
  std::uint32_t guard = 0;  // register
  SourcePlace place;

  std::string text() const;  // "ld.global.nc.v4.u32"
};

struct Label {
  std::string name;
  std::uint32_t at = 0;  // index of the instruction that follows
};

struct Function {
  std::string name;
  bool entry = false;
  bool defined = false;  // false: a declaration without body
  std::vector<Variable> params;
  std::vector<Variable> returns;
  std::vector<RegisterDeclaration> registers;
  std::vector<Variable> variables;  // .shared, .local, .param, .const inside the body; names made unique by scope
  std::vector<Label> labels;
  std::map<std::string, std::vector<std::uint32_t>> branch_tables;  // .branchtargets: indices of labels
  std::vector<Instruction> body;
  std::uint32_t max_threads = 0;           // .maxntid as a product, 0: none
  std::uint32_t required_threads[3] = {};  // .reqntid
  std::uint32_t cluster[3] = {};           // .reqnctapercluster
  SourcePlace place;
};

// Where a function was inlined (.loc … inlined_at).
struct CallSite {
  std::uint32_t file = 0;  // number of the .file directive
  std::uint32_t line = 0;
  std::uint32_t caller = 0;  // index + 1: where the function with that line was inlined itself
};

struct Module {
  std::string file;  // for messages
  std::string version, target;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::map<std::uint32_t, std::string> source_files;  // .file directives
  std::vector<CallSite> call_sites;

  const Function* find(const std::string& name) const;
  const Variable* find_variable(const std::string& name) const;
  // "kernel.ptx:412" or "kernel.ptx:412 (mmha.cu:97)"
  std::string describe(const SourcePlace& place) const;
};

}  // namespace xqacheck::ptx
