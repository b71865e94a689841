#include "tests/faults/hunt.hpp"

#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>

#include "properties/generate.hpp"
#include "properties/isolation/process_runner.hpp"

namespace xqacheck::tests {

using namespace properties;

namespace {

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) throw std::runtime_error(std::string(name) + " is not set: run the tests through ctest");
  return value;
}

// As `xqacheck verify --cases` judges: drawn from what the kernel supports, seed 0.
struct Judged {
  explicit Judged(const std::string& name, double timeout_seconds) : runner(planted_kernel(name)) {
    options.timeout_seconds = timeout_seconds;
    profile = probe_profile(runner);
  }
  Verdict judge(const Property& property, std::uint64_t index) {
    reference::RunLine line;
    line.subject = draw_case(0, index, profile);
    Trial trial(line, runner, options);
    return judge_property(property, trial);
  }
  ProcessRunner runner;
  TrialOptions options;
  Profile profile;
};

}  // namespace

std::string planted_kernel(const std::string& name) {
  return from_environment("XQACHECK_BIN") + "/../lib/plugins/faults.so:" + name;
}

std::vector<FaultFile> all_faults() {
  return read_faults(from_environment("XQACHECK_SOURCE_DIR") + "/tests/faults/planted");
}

std::pair<Verdict, Verdict> judge_two(const std::string& kernel, const std::string& other, const std::string& property,
                                      std::uint32_t index) {
  // Kept from case to case: asking a kernel for its profile costs more than a case.
  static std::map<std::string, std::unique_ptr<Judged>> judges;
  const auto judge = [&](const std::string& name) {
    std::unique_ptr<Judged>& judged = judges[name];
    if (!judged) judged = std::make_unique<Judged>(name, 30);
    return judged->judge(*property_named(property), index);
  };
  return {judge(kernel), judge(other)};
}

Hunt hunt(const FaultFile& fault, const std::string& property_name) {
  Hunt result;
  const Property* property = property_named(property_name);
  if (property == nullptr) return result;
  result.property_exists = true;
  Judged wrong(fault.name, fault.timeout_seconds), right(fault.twin(), 30);
  while (result.cases < kMostCases && !result.found) {
    const std::uint32_t index = result.cases++;
    result.verdict = wrong.judge(*property, index);
    result.found = is_failure(result.verdict.status);
    const Verdict twin = right.judge(*property, index);
    if (is_failure(twin.status)) result.false_alarm = twin.run_line + ": " + twin.message;
  }
  return result;
}

}  // namespace xqacheck::tests
