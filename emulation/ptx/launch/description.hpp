// A launch description: what a kernel given as a .ptx file is run with. JSON; doc/ptx-machine.md describes every field.
//
//   { "kernel": "scale", "grid": [2, 1, 1], "block": [128, 1, 1], "shared": 0,
//     "buffers": { "in":  { "bytes": 1024, "file": "in.bin", "read_only": true },
//                  "out": { "bytes": 1024, "output": "out.bin" } },
//     "arguments": [ { "buffer": "in" }, { "buffer": "out" }, { "f32": 1.5 }, { "u32": 256 } ] }
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulation/ptx/check/finding.hpp"
#include "emulation/ptx/front/module.hpp"
#include "emulation/ptx/machine/loaded_module.hpp"

namespace xqacheck::ptx {

struct BufferDescription {
  std::string name;
  std::uint64_t bytes = 0, align = 256;
  std::vector<std::byte> initial;  // empty: not initialised
  bool read_only = false;
  std::string output;  // file that gets the contents afterwards; "": none
};

struct ArgumentDescription {
  std::string buffer;             // address of a buffer, plus `offset`
  std::uint64_t offset = 0;
  std::vector<std::byte> value;   // of a scalar or of raw bytes
};

struct LaunchDescription {
  std::string kernel;  // "": the only one of the module
  Extent grid, block;
  std::uint32_t shared = 0;
  std::uint32_t repeat = 1;  // launches one after the other
  std::vector<BufferDescription> buffers;
  std::vector<ArgumentDescription> arguments;
};

// Relative file names are relative to `folder`. Throws PtxError naming the field and what it should be.
LaunchDescription parse_description(const std::string& json, const std::string& folder);

// Runs the description on a machine whose monitor and schedule are set. Returns the contents of the buffers by name.
// Throws PtxError, MachineFault.
std::map<std::string, std::vector<std::byte>> run_description(Machine& machine, LoadedModule& module, const LaunchDescription& description);

}  // namespace xqacheck::ptx
