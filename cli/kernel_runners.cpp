#include "cli/kernel_runners.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <stdexcept>

#include "kernels/host/admission.hpp"
#include "kernels/plugin.hpp"
#include "properties/errors.hpp"
#include "properties/isolation/process_runner.hpp"

namespace xqacheck::cli {

properties::Runners make_runners(const std::string& kernel, std::uint32_t count) {
  properties::Runners runners;
  try {
    kernels::overrides_from_environment();
  } catch (const std::invalid_argument& error) {
    throw properties::UsageError(error.what());
  }
  try {
    for (std::uint32_t i = 0; i < count; ++i) runners.push_back(std::make_unique<properties::ProcessRunner>(kernel));
    runners.front()->description();
  } catch (const kernels::LoadError& error) {
    throw properties::UsageError(fmt::format("--kernel {}: {}", kernel, error.what()));
  }
  return runners;
}

void choose_device(const std::string& device) {
  if (device != "cuda" && device != "ptx")
    throw properties::UsageError(fmt::format("--device {}: cuda or ptx (kernels on host memory run on the host)", device));
  setenv("XQACHECK_DEVICE", device.c_str(), 1);
}

void add_device_option(CLI::App& command) {
  command
      .add_option_function<std::string>("--device", choose_device,
                                        "Where device kernels run: cuda (default), or ptx: on the CPU from their PTX, "
                                        "with every access checked (doc/ptx-machine.md)")
      ->type_name("DEVICE");
}

std::uint32_t job_count(std::uint32_t asked) {
  constexpr std::uint32_t kMost = 256;  // each job is a process with its own memory
  if (asked > kMost) throw properties::UsageError(fmt::format("--jobs {}: at most {}", asked, kMost));
  if (asked > 0) return asked;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  const int count = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
  return std::min(kMost, static_cast<std::uint32_t>(std::max(1, count)));
}

}  // namespace xqacheck::cli
