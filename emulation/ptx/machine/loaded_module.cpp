#include "emulation/ptx/machine/loaded_module.hpp"

#include <fmt/format.h>

#include <cstring>

namespace xqacheck::ptx {

LoadedModule::LoadedModule(Machine& machine, Module module) : machine_(machine), module_(std::move(module)) {
  std::vector<const Variable*> variables;
  const auto collect = [&](const std::vector<Variable>& list) {
    for (const auto& variable : list)
      if (variable.space == StateSpace::global || variable.space == StateSpace::constant)
        variables.push_back(&variable);
  };
  collect(module_.variables);
  for (const auto& function : module_.functions) collect(function.variables);
  for (const Variable* variable : variables) {
    if (variable->external)
      throw PtxError(fmt::format("{}: variable {} is defined in another module", module_.describe(variable->place),
                                 variable->name));
    const std::uint64_t bytes = variable->bytes();
    // 256: what the driver gives at least.
    const std::uint64_t at =
        machine_.memory().allocate(bytes, std::max<std::uint64_t>(variable->alignment(), 256), variable->name);
    symbols_[variable->name] = {StateSpace::global, static_cast<std::int64_t>(at)};
    sizes_[variable->name] = bytes;
    if (!variable->initial.empty())
      std::memcpy(machine_.memory().at(at, bytes), variable->initial.data(), variable->initial.size());
  }
  for (const Variable* variable : variables) {
    for (const auto& init : variable->addresses) {
      const auto found = symbols_.find(init.symbol);
      if (found == symbols_.end())
        throw PtxError(fmt::format("{}: {} is initialised with the address of {}, which is no global variable",
                                   module_.describe(variable->place), variable->name, init.symbol));
      const auto value = static_cast<std::uint64_t>(found->second.address + init.addend);
      const auto at = static_cast<std::uint64_t>(symbols_[variable->name].address) + init.offset;
      std::memcpy(machine_.memory().at(at, 8), &value, 8);
    }
    const auto base = static_cast<std::uint64_t>(symbols_[variable->name].address);
    if (variable->space == StateSpace::constant) machine_.memory().set_read_only(base, true);
    if (Monitor* monitor = machine_.monitor())
      monitor->allocated({variable->name, base, variable->bytes(), variable->space == StateSpace::constant, true});
  }
}

LoadedModule::~LoadedModule() {
  for (const auto& [name, symbol] : symbols_) {
    const auto base = static_cast<std::uint64_t>(symbol.address);
    if (Monitor* monitor = machine_.monitor()) monitor->freed(base);
    machine_.memory().free(base);
  }
}

std::shared_ptr<const Program> LoadedModule::kernel(const std::string& name) {
  auto& program = kernels_[name];
  if (program == nullptr) program = decode(module_, name, symbols_);
  return program;
}

std::pair<std::uint64_t, std::uint64_t> LoadedModule::variable(const std::string& name) const {
  const auto found = symbols_.find(name);
  if (found == symbols_.end()) return {0, 0};
  return {static_cast<std::uint64_t>(found->second.address), sizes_.at(name)};
}

}  // namespace xqacheck::ptx
