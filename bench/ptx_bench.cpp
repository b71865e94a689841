// Speed of the PTX machine: ptx_bench [FILE.ptx RECORDING [THREADS]]. Without arguments, synthetic kernels; with them, one
// recorded call of the public mma.sync kernel with all checks and without, the latter on so many threads too.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "emulation/ptx/check/checker.hpp"
#include "emulation/ptx/front/parser.hpp"
#include "emulation/ptx/machine/loaded_module.hpp"
#include "emulation/ptx/replay/replay.hpp"

namespace {

using namespace xqacheck::ptx;

constexpr std::uint32_t kRounds = 2000;

std::string loop_of(const std::string& body) {
  return ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry kernel(.param .u64 out, .param .u32 n)\n{\n"
         ".reg .pred %p<4>; .reg .b32 %r<40>; .reg .b64 %rd<4>; .reg .f32 %f<20>; .shared .align 16 .b8 box[4096];\n"
         "mov.u32 %r30, 0; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; mov.u32 %r3, box; add.s32 %r2, %r2, %r3; st.shared.v4.u32 [%r2], {%r1,%r1,%r1,%r1};\nbar.sync 0;\n"
         "loop:\n" + body + "add.s32 %r30, %r30, 1; setp.lt.u32 %p0, %r30, " + std::to_string(kRounds) + "; @%p0 bra loop;\nret;\n}\n";
}

void measure(const std::string& name, const std::string& body, bool checks) {
  Checker checker;
  Machine machine;
  if (checks) machine.set_monitor(&checker);
  LoadedModule module(machine, parse(loop_of(body), "bench.ptx"));
  Launch launch;
  launch.program = module.kernel("kernel");
  launch.grid = {4, 1, 1}, launch.block = {128, 1, 1};
  launch.parameters.resize(12);
  const auto begin = std::chrono::steady_clock::now();
  machine.run({launch});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("{:24} {:9} {:>8.1f} M warp instructions/s {:>9.1f} M thread instructions/s\n", name, checks ? "checks" : "no checks",
             static_cast<double>(machine.instructions()) / seconds / 1e6, static_cast<double>(machine.instructions()) * 32 / seconds / 1e6);
}

void replay(const std::string& ptx, const std::string& recording_file, std::uint32_t threads) {
  const auto recording = xqacheck::emulation::read_recording(recording_file);
  const Module module = parse_file(ptx);
  const auto& problem = recording.problem.description;
  std::string lengths;
  const auto* tokens = recording.problem.tensor(xqacheck::reference::TensorId::seq_lens).as<std::uint32_t>();
  for (std::uint32_t i = 0; i < problem.requests; ++i) lengths += (i != 0 ? ", " : "") + std::to_string(tokens[i]);
  fmt::print("{}: heads {}/{}, dim {}, tokens {}\n", recording.name, problem.q_heads, problem.kv_heads, problem.head_dim, lengths);
  struct Way {
    bool checks;
    std::uint32_t threads;
  };
  std::vector<Way> ways{{true, 0}, {false, 0}};
  if (threads != 0) ways.push_back({false, threads});
  for (const auto& [checks, count] : ways) {
    double best = 1e9;
    std::uint64_t instructions = 0;
    for (int i = 0; i < 5; ++i) {
      const ScheduleSpec spec;
      const PtxReplay result = replay_from_ptx(module, recording, std::span(&spec, 1), {checks, {}, {}, count});
      best = std::min(best, result.seconds), instructions = result.instructions;
    }
    const std::string way = checks ? "checks" : count == 0 ? "no checks" : fmt::format("no checks, {} threads", count);
    fmt::print("{:24} {:21} {:>8.3f} s, {} warp instructions, {:.1f} M/s\n", recording.name.substr(0, 24), way, best,
               instructions, static_cast<double>(instructions) / best / 1e6);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 || argc == 4) {
    replay(argv[1], argv[2], argc == 4 ? static_cast<std::uint32_t>(std::max(1, std::atoi(argv[3]))) : 0);
    return 0;
  }
  for (const bool checks : {false, true}) {
    measure("integer", "add.s32 %r4, %r4, %r1; xor.b32 %r5, %r4, %r1; shl.b32 %r6, %r5, 3; mad.lo.s32 %r7, %r6, %r5, %r4;\n", checks);
    measure("fma.rn.ftz.f32", "fma.rn.ftz.f32 %f0, %f1, %f2, %f0; fma.rn.ftz.f32 %f3, %f1, %f2, %f3; fma.rn.ftz.f32 %f4, %f1, %f2, %f4;\n", checks);
    measure("ld.shared.v4", "ld.shared.v4.u32 {%r4,%r5,%r6,%r7}, [%r2]; ld.shared.v4.u32 {%r8,%r9,%r10,%r11}, [%r2];\n", checks);
    measure("mma.sync m16n8k16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0,%f1,%f2,%f3}, {%r4,%r5,%r6,%r7}, {%r8,%r9}, {%f0,%f1,%f2,%f3};\n", checks);
  }
  return 0;
}
