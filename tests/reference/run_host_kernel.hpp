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

// Runs on `view`, whose out and lse must be writable; scratch holds NaN patterns before. Returns false where the kernel
// says UNSUPPORTED, with the reason in `why`. Throws std::runtime_error when a supported problem fails.
inline bool run_on_view(const xqacheck_kernel& kernel, const xqacheck_problem& view, std::string& why_not) {
  char why[256] = "";
  const xqacheck_status status = kernel.supports(&view, why, sizeof why);
  why_not = why;
  if (status == XQACHECK_UNSUPPORTED) return false;
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
  return true;
}

// The outputs hold NaN patterns before the run.
inline HostRun run_host_kernel(const xqacheck_kernel& kernel, const reference::Problem& original,
                               std::uint32_t splits) {
  HostRun result;
  result.problem = original.clone();
  result.out.assign(result.problem.out_bytes(), std::byte{0xff});
  result.lse.assign(result.problem.lse_bytes(), std::byte{0xff});
  xqacheck_problem view = result.problem.view(result.out.data(), result.lse.empty() ? nullptr : result.lse.data());
  view.forced_splits = splits;
  result.supported = run_on_view(kernel, view, result.why);
  return result;
}

}  // namespace xqacheck::tests
