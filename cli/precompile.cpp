// xqacheck precompile: fills the cache of compiled kernels for the shapes of a corpus, and says what each shape costs:
// time, registers, spills. Needs the run-time compiler but no GPU.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/device_kernels.hpp"
#include "cli/precompile_shapes.hpp"
#include "kernels/jit/cache.hpp"
#include "kernels/launch/cuda_device.hpp"
#include "properties/errors.hpp"

namespace xqacheck::cli {
namespace {

using namespace properties;
using kernels::jit::KernelCache;

struct Options {
  std::string kernel = "mmha";
  std::vector<std::string> archs;
  CaseOptions cases;
  bool load = false, allow_spills = false, quiet = false;
};

struct Totals {
  std::uint64_t shapes = 0, compiled = 0, from_disk = 0, spilling = 0;
  double slowest_compile = 0, slowest_disk = 0, slowest_load = 0;  // seconds
};

double seconds_of(const std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<std::string> architectures(const Options& options, kernels::launch::Device* device) {
  if (options.archs == std::vector<std::string>{"all"})
    return {std::begin(kernels::kDocumentedArchitectures), std::end(kernels::kDocumentedArchitectures)};
  if (!options.archs.empty()) return options.archs;
  if (device != nullptr) return {device->info().arch};
  throw UsageError("precompile: there is no GPU whose architecture could be taken; give --arch sm_90a, or --arch all");
}

void compile_shape(const Options& options, const ShapeToCompile& shape, KernelCache& cache,
                   kernels::launch::Device* device, Totals& totals) {
  const auto before = cache.statistics();
  const auto begin = std::chrono::steady_clock::now();
  const auto kernel = cache.get(shape.request);
  const double seconds = seconds_of(begin);
  const auto after = cache.statistics();
  ++totals.shapes;
  std::string how = "from process";
  if (after.compiled > before.compiled) {
    ++totals.compiled, totals.slowest_compile = std::max(totals.slowest_compile, seconds);
    how = fmt::format("compiled in {:.2f} s", seconds);
  } else if (after.from_disk > before.from_disk) {
    ++totals.from_disk, totals.slowest_disk = std::max(totals.slowest_disk, seconds);
    how = fmt::format("from disk in {:.2f} ms", seconds * 1e3);
  }
  if (device != nullptr && options.load) {
    const auto loading = std::chrono::steady_clock::now();
    const auto module = device->load(kernel->image);
    const double load = seconds_of(loading);
    totals.slowest_load = std::max(totals.slowest_load, load);
    how += fmt::format(", loaded in {:.2f} ms", load * 1e3);
  }
  for (const auto& use : kernels::jit::resources_from_log(kernel->log)) {
    totals.spilling += use.spill_stores + use.spill_loads != 0;
    if (!options.quiet)
      fmt::print("{} {} {}: {} registers, {} + {} spill bytes, {} shared; {}\n", shape.request.arch, use.kernel, shape.text,
                 use.registers, use.spill_stores, use.spill_loads, use.shared_bytes, how);
  }
  std::fflush(stdout);
}

void run(const Options& options) {
  const kernels::JitKernel* kernel = kernels::find_jit_kernel(options.kernel);
  if (kernel == nullptr) {
    std::vector<std::string> names;
    for (const auto& each : kernels::jit_kernels()) names.emplace_back(each.kernel);
    throw UsageError(fmt::format("--kernel {}: not compiled at run time; there is {}", options.kernel, fmt::join(names, ", ")));
  }
  std::string why;
  const auto device = kernels::launch::open_cuda_device(0, why);
  if (device == nullptr && options.load) throw EnvironmentError("precompile --load needs a CUDA device: " + why);
  const auto directory = kernels::jit::default_cache_directory();
  if (directory.empty()) throw EnvironmentError("there is no place for the cache: set XQACHECK_CACHE_DIR or HOME");
  KernelCache cache(directory);
  Totals totals;
  try {
    const auto begin = std::chrono::steady_clock::now();
    const std::string compiler = kernels::jit::compiler_version();
    // A process that finds its kernel on disk pays this too: the compiler's version is part of the key.
    fmt::print("cache {}; {} loaded in {:.2f} ms\n", directory.string(), compiler, seconds_of(begin) * 1e3);
    for (const std::string& arch : architectures(options, device.get()))
      for (const ShapeToCompile& shape : shapes_of(*kernel, options.cases, arch))
        compile_shape(options, shape, cache, device.get(), totals);
  } catch (const kernels::jit::CompilerMissing& missing) {
    throw EnvironmentError(missing.what());
  }
  fmt::print("{} shapes: {} compiled (slowest {:.2f} s), {} from disk (slowest {:.2f} ms)", totals.shapes, totals.compiled,
             totals.slowest_compile, totals.from_disk, totals.slowest_disk * 1e3);
  if (options.load) fmt::print(", slowest load into the GPU {:.2f} ms", totals.slowest_load * 1e3);
  fmt::print("; {} with spills\n", totals.spilling);
  if (totals.spilling != 0 && !options.allow_spills) set_exit_code(1);
}

}  // namespace

void add_precompile_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("precompile", "Compile a kernel for the shapes of given cases into the cache");
  command->add_option("--kernel", options->kernel, "Built-in kernel that is compiled at run time (mmha)")->type_name("KERNEL");
  command
      ->add_option("--arch", options->archs,
                   "Architecture (that of the GPU); may be given several times; all: sm_80, sm_90a, sm_100, sm_120")
      ->type_name("ARCH");
  add_case_options(*command, options->cases);
  command->add_flag("--load", options->load, "Also load each kernel into the GPU, and say how long that takes");
  command->add_flag("--allow-spills", options->allow_spills, "Exit with 0 even where registers are spilled");
  command->add_flag("-q,--quiet", options->quiet, "Print only the totals");
  command->footer(
      "Examples:\n"
      "  xqacheck precompile --corpus fixtures/corpora/mmha-shapes.txt --arch all\n"
      "  xqacheck precompile --cases 3000 --seed 11 --draw dim=64,128\n"
      "The cache is XQACHECK_CACHE_DIR, else XDG_CACHE_HOME/xqacheck, else HOME/.cache/xqacheck.\n"
      "Exit code: 0 all in the cache; 1 registers are spilled; 2 usage; 3 no compiler, no cache.");
  command->callback([options] { run(*options); });
}

}  // namespace xqacheck::cli
