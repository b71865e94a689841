#include "cli/device_kernels.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "kernels/jit/compile.hpp"
#include "kernels/launch/cuda_device.hpp"
#include "kernels/plugin.hpp"
#include "properties/corpus.hpp"
#include "properties/errors.hpp"
#include "reference/case_line.hpp"

namespace xqacheck::cli {

using properties::EnvironmentError;
using properties::UsageError;

void add_in_process_options(CLI::App& command, InProcessOptions& options) {
  command
      .add_option("--kernel", options.kernels, "Built-in name, ./plugin.so or ./plugin.so:name; may be given several times")
      ->type_name("KERNEL")
      ->required();
  command.add_option("--case", options.lines, "A case or run line; may be given several times")->type_name("LINE");
  command.add_option("--corpus", options.corpora, "A file of case or run lines; may be given several times")
      ->type_name("FILE");
  command.add_option("--gpu", options.device, "Number of the GPU (0)")->type_name("N");
}

std::vector<NamedCase> named_cases(const InProcessOptions& options) {
  std::vector<NamedCase> cases;
  const auto add = [&](const properties::CorpusEntry& entry) {
    cases.push_back({reference::print_case(entry.run.subject), entry.run.forced_splits()});
  };
  for (const std::string& line : options.lines) add(properties::parse_entry(line, "--case"));
  for (const std::string& path : options.corpora)
    for (const properties::CorpusEntry& entry : properties::read_corpus(path)) add(entry);
  return cases;
}

std::vector<DeviceKernel> load_device_kernels(const InProcessOptions& options) {
  std::vector<DeviceKernel> kernels;
  for (const std::string& text : options.kernels) {
    try {
      const kernels::KernelSpec spec = kernels::parse_kernel_spec(text);
      const xqacheck_kernel* table = kernels::choose_kernel(kernels::load_kernels(spec), spec);
      if (table->describe()->memory != XQACHECK_CUDA)
        throw UsageError(fmt::format("--kernel {}: it runs on host memory; this command runs kernels on a GPU", text));
      kernels.push_back({text, spec.path.empty() ? "built-in" : spec.path, table});
    } catch (const kernels::LoadError& error) {
      throw UsageError(fmt::format("--kernel {}: {}", text, error.what()));
    }
  }
  return kernels;
}

std::unique_ptr<kernels::launch::Device> open_device(const InProcessOptions& options, const std::string& who) {
  std::string why;
  auto device = kernels::launch::open_cuda_device(options.device, why);
  if (device == nullptr) throw EnvironmentError(fmt::format("{} needs a CUDA device: {}", who, why));
  kernels::launch::set_active_device(device.get());
  return device;
}

std::string toolkit_name() {
  try {
    return kernels::jit::compiler_version();
  } catch (const kernels::jit::CompilerMissing&) {
    return "";
  }
}

}  // namespace xqacheck::cli
