#include "emulation/ptx/front/scope.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace xqacheck::ptx {

void Scopes::declare_register(const std::string& name, Type type) {
  blocks_[open_.back()].registers[name] = static_cast<std::uint32_t>(function_.registers.size());
  function_.registers.push_back({name, type});
}

void Scopes::declare_registers(const std::string& prefix, std::uint32_t count, Type type) {
  blocks_[open_.back()].ranges[prefix] = {static_cast<std::uint32_t>(function_.registers.size()), count};
  for (std::uint32_t i = 0; i < count; ++i) function_.registers.push_back({prefix + std::to_string(i), type});
}

void Scopes::declare_variable(Variable variable) {
  const std::string name = variable.name;
  for (const auto& other : function_.variables) {
    if (other.name != name) continue;
    variable.name = fmt::format("{}#{}", name, function_.variables.size());
    break;
  }
  blocks_[open_.back()].variables[name] = variable.name;
  function_.variables.push_back(std::move(variable));
}

void Scopes::declare_label(const Cursor& cursor, const std::string& name, std::uint32_t at) {
  const auto [place, fresh] =
      blocks_[open_.back()].labels.emplace(name, static_cast<std::uint32_t>(function_.labels.size()));
  if (!fresh) cursor.fail(fmt::format("label {} is declared twice", name));
  function_.labels.push_back({name, at});
}

std::int64_t Scopes::in_range(const Block& block, std::string_view name) const {
  std::size_t digits = 0;
  while (digits < name.size() && std::isdigit(static_cast<unsigned char>(name[name.size() - 1 - digits])) != 0)
    ++digits;
  // %r12 may be number 2 of a range "%r1<…>" as well as number 12 of "%r<…>".
  for (std::size_t count = digits; count > 0; --count) {
    const auto found = block.ranges.find(std::string(name.substr(0, name.size() - count)));
    if (found == block.ranges.end()) continue;
    const std::string_view text = name.substr(name.size() - count);
    std::uint32_t number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) continue;
    if (number < found->second.count) return found->second.first + number;
  }
  return -1;
}

std::int64_t Scopes::find_register(std::string_view name) const {
  for (std::size_t i = open_.size(); i-- > 0;) {
    const Block& block = blocks_[open_[i]];
    if (const auto found = block.registers.find(std::string(name)); found != block.registers.end())
      return found->second;
    if (const std::int64_t index = in_range(block, name); index >= 0) return index;
  }
  return -1;
}

std::string Scopes::variable_name(const std::string& name) const {
  for (std::size_t i = open_.size(); i-- > 0;) {
    const auto& variables = blocks_[open_[i]].variables;
    if (const auto found = variables.find(name); found != variables.end()) return found->second;
  }
  return name;
}

std::uint32_t Scopes::refer_label(const std::string& name, std::uint32_t line) {
  references_.push_back({name, open_, line, 0});
  return static_cast<std::uint32_t>(references_.size() - 1);
}

void Scopes::resolve_labels(const Cursor& cursor) {
  for (auto& reference : references_) {
    bool found = false;
    for (std::size_t i = reference.blocks.size(); i-- > 0 && !found;) {
      const auto& labels = blocks_[reference.blocks[i]].labels;
      if (const auto label = labels.find(reference.name); label != labels.end())
        reference.label = label->second, found = true;
    }
    if (!found) cursor.fail_at(reference.line, fmt::format("label {} is not declared", reference.name));
  }
}

}  // namespace xqacheck::ptx
