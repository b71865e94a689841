// A module in the memory of a machine: its global and constant variables have addresses and their initial values; its
// kernels are decoded when they are asked for.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "emulation/ptx/decode/decode.hpp"
#include "emulation/ptx/machine/machine.hpp"

namespace xqacheck::ptx {

class LoadedModule {
 public:
  // Throws PtxError: a variable without a definition, an initial address that names nothing.
  LoadedModule(Machine& machine, Module module);
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  const Module& module() const { return module_; }
  std::shared_ptr<const Program> kernel(const std::string& name);
  // Address and size of a global or constant variable; address 0 when there is none.
  std::pair<std::uint64_t, std::uint64_t> variable(const std::string& name) const;

 private:
  Machine& machine_;
  Module module_;
  Symbols symbols_;
  std::map<std::string, std::uint64_t> sizes_;
  std::map<std::string, std::shared_ptr<const Program>> kernels_;
};

}  // namespace xqacheck::ptx
