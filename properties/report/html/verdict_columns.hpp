// Verdicts as columns; what few of them have (evidence, notes, maps) stands apart by index.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "properties/report/html/case_columns.hpp"
#include "properties/report/html/text_table.hpp"

namespace xqacheck::properties::html {

class VerdictColumns {
 public:
  VerdictColumns(TextTable& texts, CaseColumns& cases);

  void add(const nlohmann::ordered_json& verdict, std::size_t run);  // a checked record
  nlohmann::ordered_json take();                                     // the object "verdicts" of report_data.hpp

 private:
  TextTable& texts_;
  CaseColumns& cases_;
  std::vector<nlohmann::ordered_json::array_t> columns_;
  nlohmann::ordered_json::array_t details_;
};

}  // namespace xqacheck::properties::html
