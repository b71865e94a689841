#include "properties/report/html/report_data.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "properties/errors.hpp"
#include "properties/report/html/perf_document.hpp"
#include "properties/report/html/record_fields.hpp"
#include "properties/report/html/verdict_columns.hpp"
#include "properties/tool_version.hpp"
#include "reference/case_error.hpp"

namespace xqacheck::properties::html {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kFormat = "xqacheck-results/1";
// Record types that are carried along as they are.
constexpr const char* kCarried[] = {"shrunk", "budget", "causes", "perf", "power"};

class Gatherer {
 public:
  Gatherer() : cases_(texts_), verdicts_(texts_, cases_) {
    for (const char* type : kCarried) carried_[type] = ordered_json::array();
  }

  void add_file(const ResultText& file) {
    if (is_document(file.text)) return add_document(file);
    in_run_ = false;
    std::string_view rest = file.text;
    for (std::size_t number = 1; !rest.empty(); ++number) {
      const std::size_t end = rest.find('\n');
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      try {
        if (end == std::string_view::npos && is_torn(line)) return add_torn(file, number);
        if (line.find_first_not_of(" \t\r") != std::string_view::npos) add_line(file, parse_record(line));
      } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}, line {}: {}", file.name, number, error.what()));
      }
    }
    if (!in_run_) throw UsageError(fmt::format("{}: empty, no header line", file.name));
  }

  ReportData finish(const std::string& made) {
    ReportData data;
    for (ordered_json& run : runs_) {
      // Measurements write no verdicts and no summary.
      if (run["kind"] == "results" && run["summary"].is_null() && run["records"] != 0 && run["verdicts"] == 0)
        run["kind"] = "figures";
      if (run["kind"] == "results" && run["summary"].is_null() && !run["torn"].get<bool>())
        warnings_.push_back(fmt::format("{}: no summary line: the run did not end", run["file"].get<std::string>()));
    }
    data.warnings = std::move(warnings_);
    ordered_json all{{"format", "xqacheck-report/1"}, {"tool", tool_version()}, {"made", made}};
    all["text"] = texts_.texts();
    all["runs"] = std::move(runs_);
    all["cases"] = cases_.columns();
    all["verdicts"] = verdicts_.take();
    for (const char* type : kCarried) all[type] = std::move(carried_[type]);
    // ASCII, so that the page's declared encoding never matters; a `<` in a text could end the script element.
    const std::string text = all.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
    data.json.reserve(text.size() + text.size() / 64);
    for (const char c : text) {
      if (c == '<')
        data.json += "\\u003c";
      else
        data.json += c;
    }
    return data;
  }

 private:
  void add_document(const ResultText& file) {
    ordered_json document;
    try {
      document = parse_perf(file.text);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}", file.name, error.what()));
    }
    ordered_json cases = std::move(document["cases"]);
    document.erase("cases");
    runs_.push_back({{"file", file.name},
                     {"header", document},
                     {"summary", nullptr},
                     {"torn", false},
                     {"records", cases.size()},
                     {"verdicts", 0},
                     {"kind", "perf"}});
    for (ordered_json& one : cases) {
      one["in_run"] = runs_.size() - 1;
      carried_["perf"].push_back(std::move(one));
    }
  }

  // The writer ends every line. One without an end was cut off, unless it is whole (an editor took the end away).
  static bool is_torn(std::string_view last) {
    try {
      parse_record(last);
      return false;
    } catch (const UsageError&) {
      return true;
    }
  }

  void add_torn(const ResultText& file, std::size_t number) {
    if (!in_run_) throw UsageError("no header of a result file, or cut off before its end");
    runs_.back()["torn"] = true;
    warnings_.push_back(fmt::format("{}, line {}: cut off and left out: the run was killed", file.name, number));
  }

  void add_line(const ResultText& file, const ordered_json& record) {
    const std::string type = checked_type(record);
    if (type == "header") return begin_run(file, record);
    if (!in_run_)
      throw UsageError(fmt::format("the first line must be a header of format {}, it is a {}", kFormat, type));
    if (type == "verdict") {
      verdicts_.add(record, runs_.size() - 1);
    } else if (type == "summary") {
      runs_.back()["summary"] = record;
    } else {
      carried_[type].push_back(record);
      carried_[type].back()["in_run"] = runs_.size() - 1;
    }
    if (type == "verdict" || type == "shrunk")
      runs_.back()["verdicts"] = runs_.back()["verdicts"].get<std::size_t>() + 1;
    if (type != "summary") runs_.back()["records"] = runs_.back()["records"].get<std::size_t>() + 1;
  }

  void begin_run(const ResultText& file, const ordered_json& header) {
    if (const std::string format = header.at("format"); format != kFormat)
      throw UsageError(fmt::format("format '{}': this version reads {}", reference::printable(format), kFormat));
    in_run_ = true;
    runs_.push_back({{"file", file.name},
                     {"header", header},
                     {"summary", nullptr},
                     {"torn", false},
                     {"records", 0},
                     {"verdicts", 0},
                     {"kind", "results"}});
  }

  bool in_run_ = false;  // of the file at hand
  TextTable texts_;
  CaseColumns cases_;
  VerdictColumns verdicts_;
  ordered_json runs_ = ordered_json::array(), carried_;
  std::vector<std::string> warnings_;
};

}  // namespace

ReportData gather(const std::vector<ResultText>& files, const std::string& made) {
  Gatherer gatherer;
  for (const ResultText& file : files) gatherer.add_file(file);
  return gatherer.finish(made);
}

}  // namespace xqacheck::properties::html
