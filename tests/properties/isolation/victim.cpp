// A harness that is to be killed: runs the kernels it is told to, over and over.
#include <cstdio>
#include <memory>
#include <vector>

#include "properties/isolation/process_runner.hpp"
#include "tests/properties/isolation/hand_problem.hpp"

int main(int argument_count, char** arguments) {
  using namespace xqacheck;
  std::vector<std::unique_ptr<properties::ProcessRunner>> runners;
  for (int i = 1; i < argument_count; ++i) runners.push_back(std::make_unique<properties::ProcessRunner>(arguments[i]));
  const reference::Problem problem = tests::hand_problem();
  properties::RunOptions options;
  options.timeout_seconds = 20;
  std::puts("ready");
  std::fflush(stdout);
  for (;;)
    for (const auto& runner : runners) runner->run(problem, options);
}
