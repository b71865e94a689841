// Runners for the kernels that a command names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "properties/campaign.hpp"

namespace xqacheck::cli {

// `count` runners of one kernel: a built-in name, `./plugin.so` or `./plugin.so:name`. Throws UsageError for a kernel
// that does not exist or cannot be loaded, EnvironmentError when no worker can be had.
properties::Runners make_runners(const std::string& kernel, std::uint32_t count);

// 0: one a processor that this process may use.
std::uint32_t job_count(std::uint32_t asked);

}  // namespace xqacheck::cli
