// The self-contained HTML page of a report: page.html with the style sheets, scripts and data put into it. Nothing is
// loaded from anywhere, and the page's own content policy forbids it.
#pragma once

#include <string>

namespace xqacheck::properties::html {

// `data_json`: ReportData::json.
std::string page(const std::string& data_json);

}  // namespace xqacheck::properties::html
