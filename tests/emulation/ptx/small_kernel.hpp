// A kernel of a few lines on the machine: `void kernel(u64 out, u32 n)`, body given as PTX statements.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "emulation/ptx/front/parser.hpp"
#include "emulation/ptx/machine/loaded_module.hpp"

namespace xqacheck::ptx::test {

// %out (global address), %n, %t (linear thread of the grid), %me, registers %r0…, %p0…, %rd0…, %f0….
inline std::string kernel_text(const std::string& body, const std::string& before = "") {
  return ".version 8.0\n.target sm_90a\n.address_size 64\n" + before +
         ".visible .entry kernel(.param .u64 out, .param .u32 n)\n{\n"
         ".reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .f32 %f<20>;\n"
         ".reg .b64 %out; .reg .b32 %n, %t, %me;\n"
         "ld.param.u64 %out, [out]; ld.param.u32 %n, [n];\n"
         "mov.u32 %me, %tid.x; mov.u32 %r38, %ctaid.x; mov.u32 %r39, %ntid.x; mad.lo.s32 %t, %r38, %r39, %me;\n" +
         body + "\nret;\n}\n";
}

// out[t] = %r0 at the end of the body.
inline std::string store_r0() {
  return "mul.wide.u32 %rd19, %t, 4; add.s64 %rd19, %rd19, %out; st.global.u32 [%rd19], %r0;\n";
}

struct SmallRun {
  Machine machine;
  std::vector<std::uint32_t> out;
};

inline std::vector<std::uint32_t> run_text(const std::string& text, std::uint32_t ctas, std::uint32_t threads, std::uint32_t n = 0,
                                           std::uint32_t shared = 0, Schedule* schedule = nullptr, MachineOptions options = {}) {
  Machine machine(options);
  machine.set_schedule(schedule);
  LoadedModule module(machine, parse(text, "test.ptx"));
  const std::uint64_t bytes = std::uint64_t{ctas} * threads * 4;
  const std::uint64_t out = machine.memory().allocate(bytes, 256, "out");
  Launch launch;
  launch.program = module.kernel("kernel");
  launch.grid = {ctas, 1, 1}, launch.block = {threads, 1, 1};
  launch.dynamic_shared = shared;
  launch.parameters.resize(12);
  std::memcpy(launch.parameters.data(), &out, 8);
  std::memcpy(launch.parameters.data() + 8, &n, 4);
  machine.run({launch});
  std::vector<std::uint32_t> words(bytes / 4);
  std::memcpy(words.data(), machine.memory().at(out, bytes), bytes);
  return words;
}

}  // namespace xqacheck::ptx::test
