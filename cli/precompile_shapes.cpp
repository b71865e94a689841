#include "cli/precompile_shapes.hpp"

#include <fmt/format.h>

#include <set>

#include "properties/errors.hpp"
#include "properties/restrict_profile.hpp"
#include "properties/runner.hpp"
#include "reference/case_line.hpp"

namespace xqacheck::cli {
namespace {

constexpr std::size_t kWhyBytes = 4096;

// Asks the kernel's host side whether it takes a problem, and runs nothing.
class SupportsRunner final : public properties::Runner {
 public:
  explicit SupportsRunner(const xqacheck_kernel& kernel) : kernel_(kernel) {}

  properties::Outcome run(const reference::Problem& problem, const properties::RunOptions&) override {
    const xqacheck_problem view = problem.view(nullptr, nullptr);
    std::vector<char> why(kWhyBytes, '\0');
    properties::Outcome outcome;
    switch (kernel_.supports(&view, why.data(), why.size())) {
      case XQACHECK_OK:
        outcome.status = properties::RunStatus::ok;
        break;
      case XQACHECK_INVALID:
        outcome.status = properties::RunStatus::invalid;
        break;
      default:
        outcome.status = properties::RunStatus::unsupported;
    }
    why.back() = '\0';
    outcome.why = why.data();
    return outcome;
  }
  const xqacheck_description& description() override { return *kernel_.describe(); }

 private:
  const xqacheck_kernel& kernel_;
};

std::string text_of(const kernels::jit::CompileRequest& request) {
  std::string text;
  for (const auto& [name, value] : request.macros) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

}  // namespace

std::vector<ShapeToCompile> shapes_of(const kernels::JitKernel& kernel, const CaseOptions& options, const std::string& arch) {
  const CaseSource source(options);
  SupportsRunner runner(*kernel.table());
  properties::Profile profile;
  if (source.random() > 0) {
    profile = properties::probe_profile(runner);
    properties::restrict_profile(profile, options.draws);
  }
  std::vector<ShapeToCompile> shapes;
  std::set<std::string> seen;
  for (const std::uint64_t number : source.numbers()) {
    const reference::Case subject = source.at(number, kernel.kernel, profile).run.subject;
    const reference::Problem problem = reference::make_problem(subject);
    if (runner.run(problem, {}).status != properties::RunStatus::ok) continue;
    ShapeToCompile shape{kernel.request(problem.view(nullptr, nullptr), arch), reference::print_case(subject), ""};
    shape.text = text_of(shape.request);
    if (seen.insert(shape.text).second) shapes.push_back(std::move(shape));
  }
  if (shapes.empty())
    throw properties::UsageError(fmt::format("precompile: {} supports none of the cases; see: xqacheck verify --kernel {}",
                                             kernel.kernel, kernel.kernel));
  return shapes;
}

}  // namespace xqacheck::cli
