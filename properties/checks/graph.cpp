// graph: captured in a CUDA graph and replayed, first with other lengths on the device, then with those of the problem:
// as a plain launch.
#include "properties/checks/identical.hpp"

namespace xqacheck::properties {
namespace {

Verdict check(Trial& trial) {
  if (trial.kernel().memory != XQACHECK_CUDA)
    return unsupported("only kernels on device memory can be captured in a graph");
  if (auto verdict = no_plain_run(trial)) return *verdict;
  RunOptions options = trial.run_options();
  options.launching = Launching::graph;
  return compare_with_plain(trial, trial.run(trial.problem(), options),
                            "replayed from a graph captured with other lengths");
}

}  // namespace

extern const Property graph_property;
const Property graph_property = {"graph", "captured in a graph and replayed with changed lengths, as a plain launch",
                                 check};

}  // namespace xqacheck::properties
