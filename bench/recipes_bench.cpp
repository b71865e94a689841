// Speed of the emulated kernels against the golden model in the same run, and of replaying recordings.
//
//   recipes_bench [directory or files of recordings]
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "emulation/kernels/emulate.hpp"
#include "emulation/kernels/numerics.hpp"
#include "emulation/recording/replay.hpp"
#include "reference/case_line.hpp"
#include "reference/golden.hpp"
#include "reference/problem.hpp"

using namespace xqacheck;

namespace {

struct Times { double best = 1e9, median = 0; };

// Milliseconds of the best and the median of several runs.
Times measure(const std::function<void()>& work, int runs = 9) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2]};
}

void compare(const char* name, const emulation::Recipe& recipe, const std::string& line) {
  const reference::Problem problem = reference::make_problem(reference::parse_case(line));
  std::vector<std::byte> out(problem.out_bytes());
  const xqacheck_problem view = problem.view(out.data(), nullptr);
  const xqacheck_numerics numerics = emulation::numerics_of(recipe, view);
  const Times emulated = measure([&] { emulation::emulate(recipe, view); });
  const Times golden = measure([&] { reference::golden(view, &numerics); });
  const Times values = measure([&] { reference::golden(view, &numerics, {.error_model = false}); });
  fmt::print("{:10} {:9.2f} {:9.2f} | golden with bounds {:8.2f} {:8.2f} ratio {:5.1f} | golden values {:8.2f} ratio {:5.1f} | {}\n", name,
             emulated.best, emulated.median, golden.best, golden.median, emulated.best / golden.best, values.best,
             emulated.best / values.best, line);
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print("milliseconds, best and median of 9\n");
  for (const char* length : {"300", "8192"}) {
    const std::string shape = fmt::format("xqa/1 heads=8/1 dim=128 len={} page=32 q=bf16", length);
    compare("emu-hmma", emulation::hmma_recipe(), shape);
    compare("emu-hmma", emulation::hmma_recipe(), shape + " kv=e4m3");
    compare("emu-qgmma", emulation::gmma_recipe(), shape + " kv=e4m3");
    compare("emu-hgmma", emulation::gmma_recipe(), shape);
  }
  if (argc > 1) {
    const std::vector<std::string> files = emulation::find_recordings(std::vector<std::string>(argv + 1, argv + argc));
    const Times all = measure([&] {
      for (const std::string& file : files) {
        if (!emulation::replay(emulation::read_recording(file)).equal()) fmt::print("{}: DIFFERENT\n", file);
      }
    }, 3);
    fmt::print("{} recordings read and replayed: best {:.0f} ms, median {:.0f} ms\n", files.size(), all.best, all.median);
  }
}
