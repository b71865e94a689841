#include "properties/report/html/perf_document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "properties/errors.hpp"
#include "properties/report/html/record_fields.hpp"
#include "reference/case_error.hpp"

namespace xqacheck::properties::html {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kFormat = "xqacheck-perf/1";

void require(bool right, const std::string& what) {
  if (!right) throw UsageError(what);
}

bool has_number(const ordered_json& json, const char* key) {
  return json.contains(key) && json.at(key).is_number();
}

void check_kernel(const ordered_json& kernel, const std::string& where) {
  require(kernel.is_object() && kernel.contains("kernel") && kernel.at("kernel").is_string(),
          where + ": a kernel needs a text \"kernel\"");
  if (kernel.contains("refused"))
    return require(kernel.at("refused").is_string(), where + ": \"refused\" must be text");
  require(kernel.contains("microseconds") && kernel.at("microseconds").is_object(),
          where + ": a timed kernel needs \"microseconds\"");
  for (const char* key : {"q1", "median", "q3"})
    require(has_number(kernel.at("microseconds"), key),
            fmt::format("{}: \"microseconds\" without a number \"{}\"", where, key));
  require(has_number(kernel, "share_of_copy"), where + ": a timed kernel needs a number \"share_of_copy\"");
}

void check_case(const ordered_json& one, std::size_t index) {
  const std::string where = fmt::format("case {}", index + 1);
  require(one.is_object() && one.contains("case") && one.at("case").is_string(), where + ": needs a text \"case\"");
  require(one.contains("kernels") && one.at("kernels").is_array(), where + ": needs a list \"kernels\"");
  for (const ordered_json& kernel : one.at("kernels")) check_kernel(kernel, where);
}

}  // namespace

bool is_document(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || text[begin] != '{') return false;
  const std::size_t next = text.find_first_not_of(" \t\r", begin + 1);
  return next != std::string_view::npos && text[next] == '\n';
}

ordered_json parse_perf(std::string_view text) {
  ordered_json document = parse_record(text);
  const auto format = document.find("format");
  require(format != document.end() && format->is_string(), "no \"format\": no result of xqacheck");
  require(*format == kFormat,
          fmt::format("format '{}': this version reads {}", reference::printable(format->get<std::string>()), kFormat));
  require(document.contains("cases") && document.at("cases").is_array(), "needs a list \"cases\"");
  for (std::size_t i = 0; i < document.at("cases").size(); ++i) check_case(document.at("cases")[i], i);
  return document;
}

}  // namespace xqacheck::properties::html
