// Runs a host kernel on its own copy of a problem, in this process.
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/problem.hpp"

namespace xqacheck::tests {

struct HostRun {
  bool supported = false;
  std::string why;
  std::vector<std::byte> out, lse;
  reference::Problem problem;  // the copy that the kernel ran on, with what it appended
};

// Scratch and outputs hold NaN patterns before the run. Throws std::runtime_error when a supported problem fails.
inline HostRun run_host_kernel(const xqacheck_kernel& kernel, const reference::Problem& original,
                               std::uint32_t splits) {
  HostRun result;
  result.problem = original.clone();
  const reference::Problem& problem = result.problem;
  result.out.assign(problem.out_bytes(), std::byte{0xff});
  result.lse.assign(problem.lse_bytes(), std::byte{0xff});
  xqacheck_problem view = problem.view(result.out.data(), result.lse.empty() ? nullptr : result.lse.data());
  view.forced_splits = splits;
  char why[256] = "";
  const xqacheck_status status = kernel.supports(&view, why, sizeof why);
  result.why = why;
  if (status == XQACHECK_UNSUPPORTED) return result;
  xqacheck_instance* instance = nullptr;
  if (status != XQACHECK_OK || kernel.prepare(&view, &instance, why, sizeof why) != XQACHECK_OK)
    throw std::runtime_error(std::string("supports or prepare: ") + why);
  xqacheck_workspace sizes{};
  kernel.workspace(instance, &view, &sizes);
  std::vector<float> scratch(sizes.scratch_bytes / sizeof(float) + 1, NAN);
  std::vector<std::uint32_t> state(sizes.state_bytes / sizeof(std::uint32_t) + 1, 0);
  const xqacheck_launch launch{scratch.data(), state.data(), nullptr};
  const xqacheck_status ran = kernel.run(instance, &view, &launch);
  kernel.destroy(instance);
  if (ran != XQACHECK_OK) throw std::runtime_error("run failed");
  result.supported = true;
  return result;
}

}  // namespace xqacheck::tests
