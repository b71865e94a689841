#include "properties/report/json_lines.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "properties/errors.hpp"
#include "properties/tool_version.hpp"

namespace xqacheck::properties {
namespace {

using nlohmann::ordered_json;

// JSON has no NaN or Inf: they become strings.
ordered_json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

// Kernel messages may hold any bytes; invalid UTF-8 is replaced instead of ending the run.
std::string text_of(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json evidence_of(const BadElement& bad) {
  ordered_json json{
      {"request", bad.request}, {"row", bad.row},           {"head", bad.head},           {"dim", bad.dim},
      {"got", number(bad.got)}, {"want", number(bad.want)}, {"bound", number(bad.bound)}, {"ulps", number(bad.ulps)}};
  if (bad.page >= 0) json["page"] = bad.page;
  if (bad.token >= 0) json["token"] = bad.token;
  if (bad.tile >= 0) json["tile"] = bad.tile;
  if (bad.sub_sequence >= 0) json["sub_sequence"] = bad.sub_sequence;
  return json;
}

// Three digits are more than a shade of colour shows.
ordered_json rounded(double value) {
  return std::isfinite(value) ? ordered_json(std::stod(fmt::format("{:.3g}", value))) : number(value);
}

ordered_json map_of(const ErrorMap& map) {
  ordered_json cells = ordered_json::array();
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    if (i % map.cell_columns == 0) cells.push_back(ordered_json::array());
    cells.back().push_back(map.cells[i] == ErrorMap::kNothing ? ordered_json(nullptr) : rounded(map.cells[i]));
  }
  return {{"rows", {{"name", map.rows}, {"size", map.row_count}}},
          {"columns", {{"name", map.columns}, {"size", map.column_count}}},
          {"cells", cells}};
}

ordered_json error_of(const ErrorFigures& error) {
  return {{"rms", number(error.rms)},
          {"sigma", number(error.sigma)},
          {"limit", number(error.limit)},
          {"signal", number(error.signal)},
          {"largest", number(error.largest)}};
}

ordered_json counts_of(const Counts& counts) {
  ordered_json json;
  for (std::size_t i = 0; i < counts.by_status.size(); ++i) json[name_of(static_cast<Status>(i))] = counts.by_status[i];
  return json;
}

}  // namespace

std::string json_of(const RunHeader& header) {
  ordered_json kernels = ordered_json::array();
  for (const KernelInfo& kernel : header.kernels)
    kernels.push_back({{"name", kernel.name},
                       {"version", kernel.version},
                       {"memory", kernel.memory},
                       {"recipe", kernel.recipe},
                       {"source", kernel.source}});
  return text_of({{"type", "header"},
                  {"format", "xqacheck-results/1"},
                  {"tool", tool_version()},
                  {"abi", XQACHECK_ABI_VERSION},
                  {"command", header.command},
                  {"seed", header.seed},
                  {"cases", header.cases},
                  {"shard", header.shard},
                  {"shards", header.shards},
                  {"jobs", header.jobs},
                  {"properties", header.properties},
                  {"kernels", kernels},
                  {"left_out", header.left_out},
                  {"device", header.device},
                  {"host", header.host},
                  {"started", header.started}});
}

std::string json_of(const Verdict& verdict, const std::string& kernel, std::uint64_t case_number, const char* type) {
  ordered_json json{{"type", type},
                    {"number", case_number},
                    {"kernel", kernel},
                    {"property", verdict.property},
                    {"status", name_of(verdict.status)},
                    {"kind", verdict.kind},
                    {"run", verdict.run_line},
                    {"message", verdict.message},
                    {"elements", verdict.elements},
                    {"bad_elements", verdict.bad_elements},
                    {"bound_used", number(verdict.bound_used)}};
  json["evidence"] = ordered_json::array();
  for (const BadElement& bad : verdict.evidence) json["evidence"].push_back(evidence_of(bad));
  json["notes"] = verdict.notes;
  if (verdict.error.signal > 0) json["error"] = error_of(verdict.error);
  for (const ErrorMap& map : verdict.maps) json["maps"].push_back(map_of(map));
  json["route"] = {{"kernel", verdict.route.kernel},
                   {"version", verdict.route.version},
                   {"device", verdict.route.device},
                   {"splits", verdict.route.splits}};
  if (!verdict.route.compiled.empty()) json["route"]["compiled"] = verdict.route.compiled;
  json["out_xxh64"] = fmt::format("{:016x}", verdict.out_hash);
  json["seconds"] = number(verdict.seconds);
  return text_of(json);
}

std::string json_of(const Tally& tally, const Conclusion& conclusion, double seconds) {
  ordered_json rows = ordered_json::array();
  for (const auto& [key, counts] : tally.rows())
    rows.push_back({{"kernel", key.first}, {"property", key.second}, {"counts", counts_of(counts)}});
  ordered_json json{{"type", "summary"},
                    {"cases_asked", tally.cases_asked()},
                    {"cases_executed", tally.cases_executed()},
                    {"counts", counts_of(tally.total())},
                    {"rows", rows},
                    {"exit_code", static_cast<int>(conclusion.code)},
                    {"why", conclusion.why},
                    {"seconds", number(seconds)}};
  if (const auto shapes = tally.compiled_shapes(); !shapes.empty()) json["compiled_shapes"] = shapes;
  return text_of(json);
}

JsonLinesFile::JsonLinesFile(const std::string& path, const RunHeader& header) : path_(path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;  // opening the file reports what went wrong
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  out_.open(path, std::ios::binary | std::ios::trunc);
  line(json_of(header));
}

JsonLinesFile::JsonLinesFile(const std::string& path, std::size_t kept_bytes) : path_(path) {
  std::error_code error;
  std::filesystem::resize_file(path, kept_bytes, error);
  if (error) throw EnvironmentError(fmt::format("cannot go on with {}: {}", path, error.message()));
  out_.open(path, std::ios::binary | std::ios::app);
}

void JsonLinesFile::add(const Verdict& verdict, const std::string& kernel, std::uint64_t case_number) {
  line(json_of(verdict, kernel, case_number));
}

void JsonLinesFile::add_shrunk(const Verdict& verdict, const std::string& kernel, std::uint64_t case_number) {
  line(json_of(verdict, kernel, case_number, "shrunk"));
}

void JsonLinesFile::add_record(const std::string& json) {
  line(json);
}

void JsonLinesFile::finish(const Tally& tally, const Conclusion& conclusion, double seconds) {
  line(json_of(tally, conclusion, seconds));
}

void JsonLinesFile::line(const std::string& json) {
  out_ << json << '\n' << std::flush;
  if (!out_)
    throw EnvironmentError("cannot write results to " + path_ + ": is the folder writable and the disk not full?");
}

}  // namespace xqacheck::properties
