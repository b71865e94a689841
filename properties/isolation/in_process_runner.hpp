// InProcessRunner: runs a trusted host kernel (an emulated recipe, the golden model behind the ABI) in this process: no
// worker, no copies of the inputs. Canaries are checked, but nothing is unmapped: every Placement is Placement::plain
// here. A kernel that crashes takes the harness along: foreign kernels belong into a ProcessRunner.
#pragma once

#include <memory>

#include "properties/runner.hpp"

namespace xqacheck::properties {

class InProcessRunner final : public Runner {
 public:
  // The kernel must be a host kernel and outlive the runner. Throws EnvironmentError otherwise.
  explicit InProcessRunner(const xqacheck_kernel& kernel);
  ~InProcessRunner() override;

  Outcome run(const reference::Problem& problem, const RunOptions& options) override;
  const xqacheck_description& description() override;

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace xqacheck::properties
