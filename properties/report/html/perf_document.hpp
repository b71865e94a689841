// The figures of `xqacheck perf --json`: one JSON document (format xqacheck-perf/1, doc/perf.md), not lines.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace xqacheck::properties::html {

// True for a text that begins like a document over several lines. A line of results holds a whole object.
bool is_document(std::string_view text);

// The checked document. Throws UsageError naming what is wrong with it, with its line where it is no JSON.
nlohmann::ordered_json parse_perf(std::string_view text);

}  // namespace xqacheck::properties::html
