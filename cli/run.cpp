// xqacheck run: launches kernels in this very process, without judging them: for compute-sanitizer, ncu, nsys, cuda-gdb.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/device_kernels.hpp"
#include "properties/cuda/prepared_kernel.hpp"
#include "properties/errors.hpp"
#include "properties/output.hpp"
#include "reference/case_line.hpp"

namespace xqacheck::cli {
namespace {

using namespace properties;

// Launches the kernel on one case and prints one line: what ran, and the hash of the output that `repro` prints too.
// False where the kernel does not take the case.
bool run_case(kernels::launch::Device& device, const xqacheck_kernel& kernel, const NamedCase& named) {
  reference::Problem problem = reference::make_problem(reference::parse_case(named.line));
  problem.description.sm_count = device.info().sm_count;
  const auto stream = device.stream();
  cuda::DeviceProblems on_device;
  on_device.push_back(std::make_unique<cuda::DeviceProblem>(device, *stream, problem));
  cuda::PreparedKernel prepared(device, *stream, kernel, on_device, named.splits);
  if (!prepared.refused().empty()) {
    fmt::print("UNSUPPORTED  {}: {}\n", named.line, prepared.refused());
    return false;
  }
  prepared.run(0);
  on_device.front()->download();
  Outcome outcome;
  outcome.status = RunStatus::ok;
  outcome.out = on_device.front()->out(), outcome.lse = on_device.front()->lse();
  fmt::print("{}  splits {}  output xxh64 {:016x}  {}\n", prepared.name(), prepared.splits(),
             hash_of_output(problem.view(nullptr, nullptr), outcome), named.line);
  std::fflush(stdout);  // before a sanitizer's own lines about the next case
  return true;
}

void run(const InProcessOptions& options) {
  const std::vector<NamedCase> cases = named_cases(options);
  if (cases.empty()) throw UsageError("run: give at least one --case or --corpus");
  const std::vector<DeviceKernel> kernels = load_device_kernels(options);
  const auto device = open_device(options, "xqacheck run");
  std::uint32_t ran = 0;
  try {
    for (const DeviceKernel& kernel : kernels)
      for (const NamedCase& named : cases) ran += run_case(*device, *kernel.table, named);
  } catch (const kernels::launch::DeviceError& error) {
    throw EnvironmentError(fmt::format("the GPU reports {}", error.what()));
  }
  fmt::print("{} runs on {}\n", ran, kernels::launch::text_of(device->info()));
  if (ran == 0) set_exit_code(4);
}

}  // namespace

void add_run_command(CLI::App& app) {
  auto options = std::make_shared<InProcessOptions>();
  CLI::App* command = app.add_subcommand("run", "Launch kernels in this process, for a sanitizer or profiler");
  add_in_process_options(*command, *options);
  command->footer(
      "Examples:\n"
      "  compute-sanitizer --tool memcheck xqacheck run --kernel mmha --corpus fixtures/corpora/sanitizer.txt\n"
      "  ncu xqacheck run --kernel ./mykernel.so --case 'xqa/1 heads=32/4 len=8192x16'\n"
      "Every tensor lies in an allocation of its exact size; scratch and output are left uninitialised. Nothing is judged:\n"
      "`xqacheck verify` does that. Exit code: 0 ran; 2 usage; 3 no GPU, or the GPU reports an error; 4 nothing ran.");
  command->callback([options] { run(*options); });
}

}  // namespace xqacheck::cli
