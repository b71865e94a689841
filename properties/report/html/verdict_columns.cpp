#include "properties/report/html/verdict_columns.hpp"

#include <string>
#include <string_view>

namespace xqacheck::properties::html {
namespace {

using nlohmann::ordered_json;

// In the order in which add() pushes.
constexpr const char* kColumns[] = {"run",  "case",    "how",  "number", "kernel", "property", "status",
                                    "kind", "message", "hash", "device", "splits", "elements", "bad",
                                    "used", "seconds", "rms",  "sigma",  "limit",  "signal",   "largest"};
constexpr const char* kDetails[] = {"evidence", "notes", "maps"};

const ordered_json& part(const ordered_json& record, const char* key) {
  static const ordered_json nothing = ordered_json::object();
  const auto at = record.find(key);
  return at == record.end() ? nothing : *at;
}

ordered_json number(const ordered_json& record, const char* key) {
  const auto at = record.find(key);
  // "nan", "inf" and "-inf" stay texts.
  return at != record.end() && (at->is_number() || at->is_string()) ? *at : ordered_json(0);
}

}  // namespace

VerdictColumns::VerdictColumns(TextTable& texts, CaseColumns& cases)
    : texts_(texts), cases_(cases), columns_(std::size(kColumns)) {}

void VerdictColumns::add(const ordered_json& verdict, std::size_t run) {
  const std::string_view line = verdict.at("run").get_ref<const std::string&>();
  const std::size_t cut = line.find(" @ ");
  auto column = columns_.begin();
  const auto push = [&](ordered_json value) { (column++)->push_back(std::move(value)); };
  const auto push_text = [&](const ordered_json& record, const char* key) {
    const auto at = record.find(key);
    push(at != record.end() && at->is_string() ? texts_.index(at->get_ref<const std::string&>()) : 0);
  };
  const std::size_t index = columns_.front().size();
  push(run);
  push(cases_.index(line.substr(0, cut)));
  push(texts_.index(cut == std::string_view::npos ? "" : line.substr(cut + 3)));
  push(number(verdict, "number"));
  for (const char* key : {"kernel", "property", "status", "kind", "message", "out_xxh64"}) push_text(verdict, key);
  push_text(part(verdict, "route"), "device");
  push(number(part(verdict, "route"), "splits"));
  for (const char* key : {"elements", "bad_elements", "bound_used", "seconds"}) push(number(verdict, key));
  for (const char* key : {"rms", "sigma", "limit", "signal", "largest"}) push(number(part(verdict, "error"), key));

  ordered_json detail;
  for (const char* key : kDetails)
    if (const auto at = verdict.find(key); at != verdict.end() && !at->empty()) detail[key] = *at;
  if (!detail.empty()) details_.push_back({index, std::move(detail)});
}

ordered_json VerdictColumns::take() {
  ordered_json all;
  for (std::size_t i = 0; i < columns_.size(); ++i) all[kColumns[i]] = std::move(columns_[i]);
  all["detail"] = std::move(details_);
  return all;
}

}  // namespace xqacheck::properties::html
