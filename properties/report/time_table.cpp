#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "properties/report/explain.hpp"

namespace xqacheck::properties {

std::string time_table(const Tally& tally) {
  std::vector<std::pair<Tally::Key, Counts>> rows;
  std::size_t kernel_width = 0, property_width = 0;
  for (const auto& [key, counts] : tally.rows()) {
    if (counts.executed() == 0) continue;
    rows.emplace_back(key, counts);
    kernel_width = std::max(kernel_width, key.first.size());
    property_width = std::max(property_width, key.second.size());
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  const double all = std::max(tally.total().seconds, 1e-9);  // a run too short to be timed has shares of 0
  std::string text =
      "\nTime by property, over all jobs; the first property of a case pays for problem, plain run and golden:\n";
  for (const auto& [key, counts] : rows)
    text += fmt::format("{:<{}}  {:<{}}  {:>8.2f} s  {:>3.0f} %  {:>8.2f} ms each\n", key.first, kernel_width,
                        key.second, property_width, counts.seconds, counts.seconds / all * 100,
                        counts.seconds * 1000 / static_cast<double>(counts.executed()));
  return text;
}

}  // namespace xqacheck::properties
