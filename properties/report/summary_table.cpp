#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "properties/report/explain.hpp"

namespace xqacheck::properties {
namespace {

constexpr Status kColumns[] = {Status::passed, Status::failed,     Status::crashed,    Status::hung,
                               Status::known,  Status::mistrusted, Status::unsupported};

std::size_t column_width(Status status) {
  return std::string_view(name_of(status)).size();
}

std::string row(const std::string& kernel, const std::string& property, const Counts& counts, std::size_t kernel_width,
                std::size_t property_width) {
  std::string text = fmt::format("{:<{}}  {:<{}}", kernel, kernel_width, property, property_width);
  for (const Status status : kColumns)
    text += counts.of(status) ? fmt::format("  {:>{}}", counts.of(status), column_width(status))
                              : fmt::format("  {:>{}}", "-", column_width(status));
  text += counts.largest_bound_used > 0 ? fmt::format("  {:>9.0f} %", counts.largest_bound_used * 100)
                                        : fmt::format("  {:>11}", "");
  while (text.back() == ' ') text.pop_back();
  return text + (counts.executed() == 0 ? "  (never ran)" : "") + "\n";
}

std::string grouped(const char* title, const std::map<std::string, Tally::Reason>& reasons) {
  if (reasons.empty()) return "";
  std::vector<const Tally::Reason*> sorted;
  for (const auto& [folded, reason] : reasons) sorted.push_back(&reason);
  std::stable_sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->count > b->count; });
  constexpr std::size_t kShown = 12;  // a terminal page keeps its table
  std::string text = fmt::format("\n{}:\n", title);
  for (std::size_t i = 0; i < std::min(kShown, sorted.size()); ++i)
    text += fmt::format("{:>7} x {}\n", sorted[i]->count, sorted[i]->example);
  if (sorted.size() > kShown) text += fmt::format("          … and {} more reasons\n", sorted.size() - kShown);
  return text;
}

}  // namespace

std::string summary_table(const Tally& tally, const Conclusion& conclusion, double seconds) {
  std::size_t kernel_width = std::string_view("kernel").size(), property_width = std::string_view("property").size();
  for (const auto& [key, counts] : tally.rows()) {
    kernel_width = std::max(kernel_width, key.first.size());
    property_width = std::max(property_width, key.second.size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}}", "kernel", kernel_width, "property", property_width);
  for (const Status status : kColumns) text += fmt::format("  {}", name_of(status));
  text += "  bound used\n";
  for (const auto& [key, counts] : tally.rows())
    text += row(key.first, key.second, counts, kernel_width, property_width);
  text += grouped("Not run, as the kernel or the property does not apply", tally.unsupported());
  text += grouped("Not trusted, as the check could not have failed", tally.mistrusted());
  for (const auto& [kernel, count] : tally.compiled_shapes())
    text += fmt::format("\n{} was compiled to {} shape{} at run time\n", kernel, count, count == 1 ? "" : "s");
  text += fmt::format("\n{} of {} cases ran, {} verdicts in {:.1f} s: {}\n", tally.cases_executed(),
                      tally.cases_asked(), tally.total().verdicts(), seconds,
                      conclusion.code == ExitCode::passed ? std::string("passed") : conclusion.why);
  return text;
}

}  // namespace xqacheck::properties
