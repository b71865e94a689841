#include "properties/report/html/record_fields.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <vector>

#include "properties/errors.hpp"
#include "properties/verdict.hpp"
#include "reference/case_error.hpp"

namespace xqacheck::properties::html {
namespace {

using json = nlohmann::ordered_json;
using reference::printable;

// Records are flat: header -> kernels -> fields is three levels. Deeper ones are no results of ours, and writing them
// out again would recurse as deep.
constexpr int kDeepest = 16;

enum class Need : std::uint8_t { must, may };
enum class Is : std::uint8_t { text, number, count, texts, object, objects, list };

struct Field {
  const char* name;
  Need need;
  Is is;
};

constexpr Field kHeader[] = {
    {"format", Need::must, Is::text},    {"tool", Need::may, Is::text},      {"command", Need::may, Is::texts},
    {"seed", Need::may, Is::number},     {"cases", Need::may, Is::number},   {"shard", Need::may, Is::number},
    {"shards", Need::may, Is::number},   {"jobs", Need::may, Is::number},    {"properties", Need::may, Is::texts},
    {"kernels", Need::may, Is::objects}, {"left_out", Need::may, Is::texts}, {"device", Need::may, Is::text},
    {"host", Need::may, Is::text},       {"started", Need::may, Is::text},
};
constexpr Field kVerdict[] = {
    {"number", Need::may, Is::count},        {"kernel", Need::must, Is::text},
    {"property", Need::must, Is::text},      {"status", Need::must, Is::text},
    {"kind", Need::may, Is::text},           {"run", Need::must, Is::text},
    {"message", Need::may, Is::text},        {"elements", Need::may, Is::number},
    {"bad_elements", Need::may, Is::number}, {"bound_used", Need::may, Is::number},
    {"evidence", Need::may, Is::objects},    {"notes", Need::may, Is::texts},
    {"route", Need::may, Is::object},        {"out_xxh64", Need::may, Is::text},
    {"seconds", Need::may, Is::number},      {"error", Need::may, Is::object},
    {"maps", Need::may, Is::objects},
};
constexpr Field kSummary[] = {
    {"cases_asked", Need::may, Is::number}, {"cases_executed", Need::may, Is::number},
    {"counts", Need::may, Is::object},      {"rows", Need::may, Is::objects},
    {"exit_code", Need::may, Is::number},   {"why", Need::may, Is::text},
    {"seconds", Need::may, Is::number},
};
constexpr Field kBudget[] = {
    {"mode", Need::may, Is::text},      {"number", Need::may, Is::count},   {"kernel", Need::must, Is::text},
    {"run", Need::must, Is::text},      {"tokens", Need::may, Is::count},   {"status", Need::may, Is::text},
    {"metrics", Need::may, Is::object}, {"warnings", Need::may, Is::texts},
};
constexpr Field kCauses[] = {
    {"kernel", Need::must, Is::text},
    {"run", Need::must, Is::text},
    {"tokens", Need::may, Is::count},
};
// Records without a drawing of their own are shown as a table, whatever fields they have.
constexpr Field kOther[] = {{"kernel", Need::may, Is::text}, {"run", Need::may, Is::text}};

struct RecordType {
  const char* name;
  std::span<const Field> fields;
};
constexpr RecordType kTypes[] = {
    {"header", kHeader}, {"verdict", kVerdict}, {"shrunk", kVerdict}, {"summary", kSummary},
    {"budget", kBudget}, {"causes", kCauses},   {"power", kOther},
};

bool every_is(const json& list, json::value_t type) {
  if (!list.is_array()) return false;
  for (const json& entry : list)
    if (entry.type() != type) return false;
  return true;
}

// JSON has no NaN and Inf: the format writes them as text.
bool is_number(const json& value) {
  return value.is_number() || value == "nan" || value == "inf" || value == "-inf";
}

bool holds(const json& value, Is is) {
  switch (is) {
    case Is::text:
      return value.is_string();
    case Is::number:
      return is_number(value);
    case Is::count:
      return value.is_number_unsigned();
    case Is::texts:
      return every_is(value, json::value_t::string);
    case Is::object:
      return value.is_object();
    case Is::objects:
      return every_is(value, json::value_t::object);
    case Is::list:
      return value.is_array();
  }
  return false;
}

const char* name_of(Is is) {
  switch (is) {
    case Is::text:
      return "text";
    case Is::number:
      return "a number, \"nan\", \"inf\" or \"-inf\"";
    case Is::count:
      return "a whole number from 0";
    case Is::texts:
      return "a list of texts";
    case Is::object:
      return "an object";
    case Is::objects:
      return "a list of objects";
    case Is::list:
      return "a list";
  }
  return "?";
}

// The scripts of the page draw maps cell by cell, so all of a map must be what it seems.
void check_map(const json& map) {
  const auto fail = [](const char* what) { throw UsageError(std::string("\"maps\": ") + what); };
  for (const char* axis : {"rows", "columns"}) {
    const auto at = map.find(axis);
    if (at == map.end() || !at->is_object()) fail("a map needs objects \"rows\" and \"columns\"");
    if (!at->contains("name") || !at->at("name").is_string()) fail("an axis needs a text \"name\"");
    if (!at->contains("size") || !at->at("size").is_number_unsigned()) fail("an axis needs a whole number \"size\"");
  }
  const auto cells = map.find("cells");
  if (cells == map.end() || !every_is(*cells, json::value_t::array)) fail("a map needs \"cells\", a list of rows");
  for (const json& row : *cells) {
    if (row.size() != cells->front().size()) fail("the rows of \"cells\" differ in length");
    for (const json& cell : row)
      if (!cell.is_null() && !is_number(cell)) fail("a cell must be a number or null");
  }
}

void check(const json& record, const std::string& type, std::span<const Field> fields) {
  for (const Field& field : fields) {
    const auto at = record.find(field.name);
    if (at == record.end()) {
      if (field.need == Need::must) throw UsageError(fmt::format("{} without \"{}\"", type, field.name));
    } else if (!holds(*at, field.is)) {
      throw UsageError(
          fmt::format("{}: \"{}\" must be {}, it is {}", type, field.name, name_of(field.is),
                      at->is_string() ? "\"" + printable(at->get<std::string>()) + "\"" : at->type_name()));
    }
  }
  if (const auto maps = record.find("maps"); fields.data() == kVerdict && maps != record.end())
    for (const json& map : *maps) check_map(map);
}

}  // namespace

json parse_record(std::string_view line) {
  json record;
  try {
    record = json::parse(line, [](int depth, json::parse_event_t, json&) {
      if (depth > kDeepest)
        throw UsageError(fmt::format("nested deeper than {} levels: no result of xqacheck", kDeepest));
      return true;
    });
  } catch (const json::parse_error& error) {
    throw UsageError(fmt::format("no JSON, wrong from byte {} on: '{}'; is the line cut off, or the file another one?",
                                 error.byte, printable(line.substr(error.byte > 8 ? error.byte - 8 : 0, 24))));
  } catch (const json::exception& error) {  // a number beyond all numbers
    throw UsageError(fmt::format("no JSON: {}", printable(error.what())));
  }
  if (!record.is_object()) throw UsageError("a result is an object {…}, this is " + std::string(record.type_name()));
  return record;
}

std::string checked_type(const json& record) {
  const auto at = record.find("type");
  if (at == record.end() || !at->is_string()) throw UsageError("no \"type\": no result of xqacheck");
  const std::string type = at->get<std::string>();
  std::vector<std::string_view> known;
  for (const RecordType& each : kTypes) {
    known.emplace_back(each.name);
    if (type != each.name) continue;
    check(record, type, each.fields);
    if (const auto status = record.find("status");
        each.fields.data() == kVerdict && !status_named(status->get<std::string>()))
      throw UsageError(fmt::format("{}: unknown status '{}'", type, printable(status->get<std::string>())));
    return type;
  }
  throw UsageError(fmt::format("unknown type '{}'; there are {}", printable(type), fmt::join(known, ", ")));
}

}  // namespace xqacheck::properties::html
