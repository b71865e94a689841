// Runners for the kernels that a command names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "properties/campaign.hpp"

namespace CLI {
class App;
}

namespace xqacheck::cli {

// `count` runners of one kernel: a built-in name, `./plugin.so` or `./plugin.so:name`. Throws UsageError for a kernel
// that does not exist or cannot be loaded, EnvironmentError when no worker can be had.
properties::Runners make_runners(const std::string& kernel, std::uint32_t count);

// Where kernels on device memory run: "cuda" (the default) or "ptx". It goes to the workers through the environment
// (XQACHECK_DEVICE), so it must be said before they start. Throws UsageError for another name.
void choose_device(const std::string& device);
void add_device_option(CLI::App& command);  // --device, with its effect

// 0: one a processor that this process may use.
std::uint32_t job_count(std::uint32_t asked);

}  // namespace xqacheck::cli
