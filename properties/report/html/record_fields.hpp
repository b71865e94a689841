// What the report needs of a line of a result file (doc/results-format.md). Everything else in a line is carried along
// or ignored, so that files of later versions of the tool can be read as long as these fields keep their meaning.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace xqacheck::properties::html {

// The object that a line holds. Throws UsageError when it holds something else, or is nested deeper than any record.
nlohmann::ordered_json parse_record(std::string_view line);

// The `type` of a record, after a check that each of its fields that the report uses has the right type. Throws
// UsageError naming the field, what it must be and what it is.
std::string checked_type(const nlohmann::ordered_json& record);

}  // namespace xqacheck::properties::html
