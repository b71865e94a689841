#include "emulation/ptx/decode/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "emulation/ptx/decode/contraction.hpp"
#include "emulation/ptx/decode/reconvergence.hpp"
#include "emulation/ptx/instructions/control.hpp"

namespace xqacheck::ptx {
namespace {

std::uint32_t align_up(std::uint64_t value, std::uint32_t align) {
  return static_cast<std::uint32_t>((value + align - 1) / align * align);
}

// Shared memory is one space for the whole kernel: module and body variables in order, dynamic ones behind all of them.
class SharedLayout {
 public:
  SharedLayout(const Module& module, Program& program) : program_(program) {
    for (const auto& variable : module.variables) place(variable);
    for (const auto& function : module.functions)
      for (const auto& variable : function.variables) place(variable);
    const std::uint32_t begin = align_up(program_.shared_bytes, program_.dynamic_align);
    for (const auto& name : dynamic_) symbols_[name] = {StateSpace::shared, begin};
  }
  const Symbols& symbols() const { return symbols_; }

 private:
  void place(const Variable& variable) {
    if (variable.space != StateSpace::shared) return;
    const std::uint32_t align = std::max(variable.alignment(), 1u);
    if (variable.unsized || (variable.external && variable.bytes() == 0)) {
      program_.dynamic_align = std::max(program_.dynamic_align, align);
      dynamic_.push_back(variable.name);
      return;
    }
    const std::uint32_t at = align_up(program_.shared_bytes, align);
    symbols_[variable.name] = {StateSpace::shared, at};
    program_.shared_bytes = static_cast<std::uint32_t>(at + variable.bytes());
  }
  Program& program_;
  Symbols symbols_;
  std::vector<std::string> dynamic_;
};

void lay_out_parameters(const Function& function, Program& program, Symbols& symbols) {
  for (const auto& parameter : function.params) {
    const std::uint32_t at = align_up(program.parameter_bytes, std::max(parameter.alignment(), 1u));
    symbols[parameter.name] = {StateSpace::param, at};
    program.parameters.push_back({at, static_cast<std::uint32_t>(parameter.bytes())});
    program.parameter_bytes = static_cast<std::uint32_t>(at + parameter.bytes());
  }
}

// File numbers of .file are sparse; findings hold an index into names.
void name_files(const Module& module, Program& program) {
  program.files.push_back("");
  std::map<std::uint32_t, std::uint32_t> index;
  for (const auto& [number, name] : module.source_files) {
    index[number] = static_cast<std::uint32_t>(program.files.size());
    program.files.push_back(name);
  }
  const auto named = [&](std::uint32_t number) {
    const auto found = index.find(number);
    return found == index.end() ? 0 : found->second;
  };
  for (auto& place : program.places) place.file = named(place.file);
  for (const CallSite& site : module.call_sites)
    program.sites.push_back({named(site.file), site.line, site.caller});
}

}  // namespace

std::uint32_t Decoder::local_variable(std::uint64_t bytes, std::uint32_t align) {
  const std::uint32_t at = align_up(program_.local_bytes, std::max(align, 1u));
  program_.local_bytes = static_cast<std::uint32_t>(at + bytes);
  return at;
}

void Decoder::declare(Frame& frame) {
  for (const auto& declaration : frame.function->registers) frame.registers.push_back(fresh_register(declaration.type));
  program_.registers += static_cast<std::uint32_t>(frame.function->registers.size());
  for (const auto& variable : frame.function->variables) {
    if (variable.space == StateSpace::shared) continue;
    if (variable.space == StateSpace::constant || variable.space == StateSpace::global) continue;  // in globals_
    frame.symbols[variable.name] = {StateSpace::local, local_variable(variable.bytes(), variable.alignment())};
  }
}

void Decoder::function_body(Frame& frame) {
  Frame* const outer = frame_;
  const auto outer_uses = std::exchange(label_uses_, {});
  const auto outer_returns = std::exchange(returns_, {});
  frame_ = &frame;
  const Function* const written = frame.function;
  const Contractions contractions = find_contractions(*written);
  std::optional<Function> contracted;
  if (!contractions.product_of.empty()) frame.function = &contracted.emplace(contract(*written, contractions));
  declare(frame);
  const Function& function = *frame.function;
  std::vector<std::uint32_t> starts;  // of instructions, in the program
  for (const auto& instruction : function.body) {
    starts.push_back(static_cast<std::uint32_t>(program_.code.size()));
    begin(instruction);
    const auto found = opcodes().find(instruction.opcode);
    if (found == opcodes().end()) fail("the instruction is unknown or not supported");
    found->second(*this);
    finish();
    if (instruction.opcode != "call") emit();
  }
  const auto end = static_cast<std::uint32_t>(program_.code.size());
  starts.push_back(end);
  for (const auto& use : label_uses_) {
    const std::uint32_t to = starts[function.labels[use.label].at];
    if (use.in_list) {
      program_.lists[use.at] = static_cast<Ref>(to);
    } else {
      program_.code[use.at].target = to;
    }
  }
  for (const std::uint32_t at : returns_) program_.code[at].target = end;
  label_uses_ = outer_uses;
  returns_ = outer_returns;
  frame.function = written;
  frame_ = outer;
}

// Functions are expanded where they are called.
void Decoder::call() {
  const Instruction& instruction = *instruction_;
  const std::size_t callee_at = instruction.returns;
  const Operand& callee = operand(callee_at);
  if (callee.kind != OperandKind::symbol) fail("calls through a register are not supported");
  const Function* function = module_.find(callee.name);
  if (function == nullptr) fail(fmt::format("function {} is not declared", callee.name));
  if (!function->defined) fail(fmt::format("function {} has no body in this module", callee.name));
  if (std::find(calls_.begin(), calls_.end(), function) != calls_.end())
    fail(fmt::format("function {} calls itself: recursion is not supported", callee.name));
  if (instruction.guarded) fail("a call under a predicate is not supported");
  const std::size_t arguments = operand_count() - callee_at - 1;
  if (arguments != function->params.size() || instruction.returns != function->returns.size())
    fail(fmt::format("function {} takes {} arguments and returns {}", callee.name, function->params.size(),
                     function->returns.size()));
  Frame frame;
  frame.function = function;
  const auto bind = [&](const Variable& formal, const Operand& actual) {
    const SymbolAddress* found = actual.kind == OperandKind::symbol ? symbol(actual.name) : nullptr;
    if (found == nullptr) fail("arguments of calls must be .param variables");
    frame.symbols[formal.name] = *found;
  };
  for (std::size_t i = 0; i < instruction.returns; ++i) bind(function->returns[i], operand(i));
  for (std::size_t i = 0; i < arguments; ++i) bind(function->params[i], operand(callee_at + 1 + i));
  calls_.push_back(function);
  function_body(frame);
  calls_.pop_back();
  instruction_ = &instruction;
  modifiers_.clear();
}

std::shared_ptr<const Program> decode(const Module& module, const std::string& kernel, const Symbols& symbols) {
  const Function* function = module.find(kernel);
  if (function == nullptr || !function->entry || !function->defined) {
    std::string names;
    for (const auto& candidate : module.functions)
      if (candidate.entry && candidate.defined) names += (names.empty() ? "" : ", ") + candidate.name;
    throw PtxError(fmt::format("{}: there is no kernel '{}'; the module has {}", module.file, kernel,
                               names.empty() ? "none" : names));
  }
  auto program = std::make_shared<Program>();
  program->name = kernel;
  program->ptx_file = module.file;
  program->max_threads = function->max_threads;
  std::copy(std::begin(function->cluster), std::end(function->cluster), std::begin(program->cluster));
  Symbols all = symbols;
  const SharedLayout shared(module, *program);
  all.insert(shared.symbols().begin(), shared.symbols().end());
  Frame frame;
  frame.function = function;
  frame.kernel = true;
  lay_out_parameters(*function, *program, frame.symbols);
  Decoder decoder(module, *program, all);
  decoder.function_body(frame);
  append_exit(*program);
  find_reconvergence(*program);
  name_files(module, *program);
  return program;
}

}  // namespace xqacheck::ptx
