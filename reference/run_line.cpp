#include "reference/run_line.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "reference/case_limits.hpp"
#include "reference/case_line.hpp"
#include "reference/line_text.hpp"
#include "reference/run_grammar.hpp"

namespace xqacheck::reference {
namespace {

constexpr std::uint32_t kMaxRuns = 1000000;  // an hour of launches at best; more is a typing error
constexpr std::uint32_t kMaxSplits = 65535;  // largest grid dimension y and z of a CUDA launch
constexpr std::uint32_t kMaxDevices = 1024;
constexpr std::size_t kMaxText = 4096;  // PATH_MAX of Linux

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::uint32_t RunLine::forced_splits() const {
  return is_number(plan) ? read_u32("plan", plan) : 0;
}

RunLine parse_run_line(std::string_view line) {
  // '@' also stands inside inject=: only a word of its own separates the two parts.
  std::size_t at = std::string_view::npos;
  for (std::string_view word : words(line)) {
    if (word != "@") continue;
    if (at != std::string_view::npos) throw CaseError("line", "@", "a run line has one @");
    at = static_cast<std::size_t>(word.data() - line.data());
  }
  RunLine run;
  run.subject = parse_case(line.substr(0, at));
  if (at != std::string_view::npos) {
    const std::string_view rest = line.substr(at + 1);
    if (rest.size() > kMaxLine) throw CaseError("line", "", "the part behind @ is too long");
    const auto found = words(rest);
    if (found.empty()) throw CaseError("line", "@", "needs keys behind @, e.g. kernel=NAME prop=NAME");
    parse_keys(found, run_keys(), "", run);
  }
  validate(run);
  return run;
}

std::string print_run_line(const RunLine& run) {
  const std::string keys = print_keys(run_keys(), run);
  return keys.empty() ? print_case(run.subject) : print_case(run.subject) + " @" + keys;
}

void validate(const RunLine& run) {
  validate(run.subject);
  const auto need = [](bool condition, std::string field, std::string value, std::string allowed) {
    if (!condition) throw CaseError(std::move(field), std::move(value), std::move(allowed));
  };
  for (const auto& [key, text] : {std::pair{"kernel", &run.kernel}, std::pair{"prop", &run.property},
                                  std::pair{"plan", &run.plan}, std::pair{"tool", &run.tool}}) {
    need(text->size() <= kMaxText, key, *text, fmt::format("at most {} characters", kMaxText));
    need(text->find('\0') == std::string::npos, key, "", "must not contain a NUL byte");
  }
  need(run.device == Device::cuda || run.device_index == 0, "device", fmt::format("host:{}", run.device_index),
       "only cuda devices are numbered");
  need(run.device_index < kMaxDevices, "device", fmt::format("cuda:{}", run.device_index),
       fmt::format("at most {}", kMaxDevices - 1));
  need(run.plan != "auto", "plan", "auto", "the kernel's own plan is an empty text");
  if (is_number(run.plan)) {
    const std::uint32_t splits = read_u32("plan", run.plan);
    need(splits >= 1 && splits <= kMaxSplits, "plan", run.plan,
         fmt::format("a forced split count is 1 to {}", kMaxSplits));
  }
  need(run.runs >= 1 && run.runs <= kMaxRuns, "runs", fmt::format("{}", run.runs), fmt::format("1 to {}", kMaxRuns));
}

}  // namespace xqacheck::reference
