#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "properties/errors.hpp"
#include "properties/report/json_lines.hpp"
#include "reference/run_line.hpp"

namespace xqacheck::properties {
namespace {

using nlohmann::json;

double number(const json& value) {
  if (value.is_number()) return value.get<double>();
  const std::string text = value.get<std::string>();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

BadElement evidence_of(const json& from) {
  BadElement bad;
  bad.request = from.at("request"), bad.row = from.at("row"), bad.head = from.at("head"), bad.dim = from.at("dim");
  bad.got = number(from.at("got")), bad.want = number(from.at("want"));
  bad.bound = number(from.at("bound")), bad.ulps = number(from.at("ulps"));
  bad.page = from.value("page", bad.page), bad.token = from.value("token", bad.token);
  bad.tile = from.value("tile", bad.tile), bad.sub_sequence = from.value("sub_sequence", bad.sub_sequence);
  return bad;
}

ErrorFigures error_of(const json& from) {
  return {number(from.at("rms")), number(from.at("sigma")), number(from.at("limit")), number(from.at("signal")),
          number(from.at("largest"))};
}

ErrorMap map_of(const json& from) {
  ErrorMap map;
  const json &rows = from.at("rows"), &columns = from.at("columns");
  map.rows = rows.at("name"), map.row_count = rows.at("size");
  map.columns = columns.at("name"), map.column_count = columns.at("size");
  for (const json& line : from.at("cells")) {
    ++map.cell_rows, map.cell_columns = static_cast<std::uint32_t>(line.size());
    for (const json& cell : line) map.cells.push_back(cell.is_null() ? ErrorMap::kNothing : number(cell));
  }
  if (map.cells.size() != std::size_t{map.cell_rows} * map.cell_columns)
    throw UsageError("a map whose rows differ in length");
  return map;
}

ResultLine verdict_of(const json& from) {
  ResultLine line;
  line.kernel = from.at("kernel"), line.case_number = from.at("number");
  Verdict& verdict = line.verdict;
  const std::string status = from.at("status");
  const auto known = status_named(status);
  if (!known) throw UsageError("unknown status " + status);
  verdict.status = *known;
  verdict.property = from.at("property"), verdict.kind = from.at("kind"), verdict.run_line = from.at("run");
  verdict.subject = reference::parse_run_line(verdict.run_line).subject;
  verdict.message = from.at("message");
  verdict.elements = from.at("elements"), verdict.bad_elements = from.at("bad_elements");
  verdict.bound_used = number(from.at("bound_used")), verdict.seconds = number(from.at("seconds"));
  for (const json& bad : from.at("evidence")) verdict.evidence.push_back(evidence_of(bad));
  verdict.notes = from.at("notes").get<std::vector<std::string>>();
  if (from.contains("error")) verdict.error = error_of(from.at("error"));
  if (from.contains("maps"))
    for (const json& map : from.at("maps")) verdict.maps.push_back(map_of(map));
  const json& route = from.at("route");
  verdict.route.kernel = route.at("kernel"), verdict.route.version = route.at("version");
  verdict.route.device = route.at("device"), verdict.route.splits = route.at("splits");
  verdict.route.compiled = route.value("compiled", std::string());
  verdict.out_hash = std::stoull(from.at("out_xxh64").get<std::string>(), nullptr, 16);
  return line;
}

void read_line(const json& line, bool first, Results& results) {
  const std::string type = line.at("type");
  if (first) {
    if (type != "header" || line.at("format") != "xqacheck-results/1")
      throw UsageError("the first line must be a header of format xqacheck-results/1");
    results.tool = line.at("tool");
  } else if (type == "verdict") {
    results.verdicts.push_back(verdict_of(line));
  } else if (type == "shrunk") {
    results.shrunk.push_back(verdict_of(line));
  } else if (type == "summary") {
    results.exit_code = line.at("exit_code").get<int>();
  } else if (type != "budget" && type != "causes") {  // those two hold no verdicts
    throw UsageError("unknown type " + type);
  }
}

}  // namespace

Results parse_results(std::string_view text) {
  Results results;
  std::uint64_t line_number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++line_number;
    if (end == std::string_view::npos) {  // the writer ends every line: this one was cut off
      results.torn = true;
      break;
    }
    try {
      read_line(json::parse(line), line_number == 1, results);
    } catch (const std::exception& error) {
      throw UsageError(fmt::format("results, line {}: {}", line_number, error.what()));
    }
  }
  if (line_number == 0 || (line_number == 1 && results.torn)) throw UsageError("results: empty, no header line");
  return results;
}

}  // namespace xqacheck::properties
