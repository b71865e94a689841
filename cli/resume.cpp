#include "cli/resume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "properties/errors.hpp"
#include "reference/case_line.hpp"

namespace xqacheck::cli {

using namespace properties;

namespace {

// The file's verdicts of one kernel, by case.
std::map<std::uint64_t, CaseResult> cases_of(const std::string& kernel, const ResumePoint& point) {
  std::map<std::uint64_t, CaseResult> cases;
  for (const ResultLine& line : point.verdicts) {
    if (line.kernel != kernel) continue;
    CaseResult& result = cases[line.case_number];
    result.number = line.case_number;
    result.executed |= line.verdict.status != Status::unsupported;
    result.verdicts.push_back(line.verdict);
  }
  return cases;
}

}  // namespace

Rest replay_earlier(const std::string& kernel, const std::vector<std::uint64_t>& numbers,
                    const std::function<reference::RunLine(std::uint64_t)>& case_number, RunReport& report) {
  const ResumePoint& point = report.resumed();
  const std::map<std::uint64_t, CaseResult> earlier = cases_of(kernel, point);
  Rest rest;
  for (const std::uint64_t number : numbers) {
    const auto found = earlier.find(number);
    if (found == earlier.end()) {
      rest.numbers.push_back(number);
      continue;
    }
    const reference::Case now = case_number(number).subject;
    if (!(found->second.verdicts.front().subject == now))
      throw UsageError(fmt::format(
          "--resume: case {} of the results is {}, but this run's is {}; use the same --case, "
          "--corpus and --seed, or leave out --resume",
          number, reference::print_case(found->second.verdicts.front().subject), reference::print_case(now)));
    report.replay(kernel, found->second);
  }
  const bool another_followed = !point.verdicts.empty() && point.verdicts.back().kernel != kernel && !earlier.empty();
  rest.done = rest.numbers.empty() && (point.finished || another_followed || point.shrunk.contains(kernel));
  if (!earlier.empty())
    report.say(fmt::format("resumed: {} of {} cases of {} were done", earlier.size(), numbers.size(), kernel));
  return rest;
}

}  // namespace xqacheck::cli
