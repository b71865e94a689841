// Compiles mmha for every architecture and documented configuration, without a GPU: prints registers, refuses spills.
#include <fmt/format.h>

#include <chrono>

#include "kernels/jit/cache.hpp"
#include "kernels/mmha/source.hpp"

using namespace xqacheck::kernels;

int main() {
  try {
    jit::compiler_version();
  } catch (const jit::CompilerMissing& missing) {
    fmt::print("skipped: {}\n", missing.what());
    return 77;
  }
  int bad = 0;
  const mmha::Shape shapes[] = {{128, 128, XQACHECK_BF16, XQACHECK_BF16, XQACHECK_BF16},
                                {64, 64, XQACHECK_FP16, XQACHECK_INT8, XQACHECK_FP16},
                                {256, 256, XQACHECK_BF16, XQACHECK_E4M3, XQACHECK_E4M3},
                                {576, 512, XQACHECK_BF16, XQACHECK_E4M3, XQACHECK_BF16}};
  for (const char* arch : {"sm_80", "sm_90a", "sm_100", "sm_120"}) {
    for (const auto& shape : shapes) {
      const auto begin = std::chrono::steady_clock::now();
      const auto kernel = jit::compile(mmha::compile_request(shape, arch));
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      const auto uses = jit::resources_from_log(kernel.log);
      if (uses.size() != 1 || uses[0].kernel != "mmha" || uses[0].registers == 0 || kernel.image.empty()) {
        fmt::print("{} dim {}: unexpected compiler output:\n{}\n", arch, shape.head_dim, kernel.log);
        ++bad;
        continue;
      }
      const auto& use = uses[0];
      fmt::print("{} dim {}/{} q {} kv {} out {}: {} registers, {} + {} spill bytes, {} stack, {:.2f} s\n", arch,
                 shape.head_dim, shape.head_dim_v, shape.q, shape.kv, shape.out, use.registers, use.spill_stores,
                 use.spill_loads, use.stack_bytes, seconds);
      bad += use.spill_stores != 0 || use.spill_loads != 0;
    }
  }
  // A compile error carries the source's name, the macros and the log.
  auto request = mmha::compile_request(shapes[0], "sm_90a");
  request.macros[2].second = "77";
  try {
    jit::compile(request);
    fmt::print("a wrong macro compiled\n"), ++bad;
  } catch (const jit::CompileError& error) {
    const std::string what = error.what();
    for (const char* word : {"mmha.cu", "sm_90a", "-DMMHA_Q=77", "error"})
      if (what.find(word) == std::string::npos) fmt::print("the message lacks '{}':\n{}\n", word, what), ++bad;
  }
  return bad == 0 ? 0 : 1;
}
