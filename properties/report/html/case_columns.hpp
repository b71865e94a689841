// The different cases of a report: their lines, and of each what charts and filters need.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>

#include "properties/report/html/text_table.hpp"

namespace xqacheck::properties::html {

class CaseColumns {
 public:
  explicit CaseColumns(TextTable& texts) : texts_(texts) {}

  // Index of the case. A line that this version cannot read stays a text with nothing known about it.
  std::uint32_t index(std::string_view case_line);

  nlohmann::ordered_json columns() const;

 private:
  TextTable& texts_;
  std::unordered_map<std::uint32_t, std::uint32_t> places_;  // text of the line -> index
  std::vector<std::uint32_t> line_, requests_, heads_, dim_, q_, kv_, out_;
  std::vector<std::int64_t> length_;  // longest request, -1: not readable
};

}  // namespace xqacheck::properties::html
