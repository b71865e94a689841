#include "emulation/ptx/front/module.hpp"

#include <fmt/format.h>

namespace xqacheck::ptx {

const char* name_of(StateSpace space) {
  constexpr const char* kNames[] = {"generic", "global", "shared", "local", "const", "param", "reg"};
  return kNames[static_cast<int>(space)];
}

std::string Instruction::text() const {
  std::string text = opcode;
  for (const auto& modifier : modifiers) text += "." + modifier;
  return text;
}

const Function* Module::find(const std::string& name) const {
  const Function* found = nullptr;
  for (const auto& function : functions)
    if (function.name == name && (found == nullptr || function.defined)) found = &function;
  return found;
}

const Variable* Module::find_variable(const std::string& name) const {
  for (const auto& variable : variables)
    if (variable.name == name) return &variable;
  return nullptr;
}

std::string Module::describe(const SourcePlace& place) const {
  if (place.source_line == 0) return fmt::format("{}:{}", file, place.line);
  const auto found = source_files.find(place.source_file);
  return fmt::format("{}:{} ({}:{})", file, place.line, found == source_files.end() ? "?" : found->second,
                     place.source_line);
}

}  // namespace xqacheck::ptx
