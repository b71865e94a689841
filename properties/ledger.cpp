#include "properties/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "properties/errors.hpp"
#include "properties/property.hpp"
#include "properties/report/atomic_file.hpp"
#include "reference/case_error.hpp"
#include "reference/case_grammar.hpp"
#include "reference/case_line.hpp"

namespace xqacheck::properties {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;
constexpr std::string_view kFields[] = {"case", "kernel", "property", "kind", "reason", "link"};

[[noreturn]] void fault(const std::string& place, const std::string& text) {
  throw UsageError(fmt::format("{}: {}", place, text));
}

std::string text_of(const Json& entry, const char* field, bool needed, const std::string& place) {
  const auto found = entry.find(field);
  if (found == entry.end()) {
    if (needed) fault(place, fmt::format("\"{}\" is missing", field));
    return "";
  }
  if (!found->is_string()) fault(place, fmt::format("\"{}\" must be text in quotes", field));
  std::string text = found->get<std::string>();
  if (needed && text.empty()) fault(place, fmt::format("\"{}\" must not be empty", field));
  return text;
}

std::vector<std::string> words_of(std::string_view pattern) {
  std::istringstream stream{std::string(pattern)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

void check_pattern(const std::string& pattern, const std::string& place) {
  for (const std::string& word : words_of(pattern)) {
    const bool negated = word.starts_with('!');
    if (negated ? word.size() == 1 || word.find('=') != std::string::npos
                : word.find('=') == std::string::npos || word[0] == '=')
      fault(place, fmt::format("\"case\": '{}' is neither key=value nor !key (the default); leave out the 'xqa/1'",
                               reference::printable(word)));
    const std::string key = negated ? word.substr(1) : word.substr(0, word.find('='));
    std::vector<std::string_view> names;
    for (const auto& known : reference::case_keys()) names.push_back(known.name);
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    const std::string near = reference::nearest_of(key, names);
    fault(place, fmt::format("\"case\": case lines have no key '{}'{}", reference::printable(key),
                             near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }
}

LedgerEntry entry_of(const Json& json, const std::string& place) {
  if (!json.is_object()) fault(place, "must be an object in braces");
  for (const auto& [key, unused] : json.items())
    if (std::find(std::begin(kFields), std::end(kFields), key) == std::end(kFields)) {
      const std::string near = reference::nearest_of(key, {std::begin(kFields), std::end(kFields)});
      fault(place, fmt::format("\"{}\": no such field{}", reference::printable(key),
                               near.empty() ? "; there is case, kernel, property, kind, reason, link"
                                            : fmt::format(" (did you mean \"{}\"?)", near)));
    }
  LedgerEntry entry;
  entry.case_pattern = text_of(json, "case", false, place);
  entry.kernel = text_of(json, "kernel", true, place);
  entry.property = text_of(json, "property", true, place);
  entry.kind = text_of(json, "kind", false, place);
  entry.reason = text_of(json, "reason", true, place);
  entry.link = text_of(json, "link", true, place);
  entry.place = place;
  check_pattern(entry.case_pattern, place);
  const bool glob = entry.property.find_first_of("*?") != std::string::npos;
  if (!glob && property_named(entry.property) == nullptr)
    fault(place, fmt::format("\"property\": there is no '{}' (see: xqacheck list properties)",
                             reference::printable(entry.property)));
  return entry;
}

}  // namespace

std::vector<LedgerEntry> parse_ledger(std::string_view text, const std::string& name) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    fault(name, fmt::format("no JSON at byte {}", error.byte));
  }
  if (!json.is_object() || !json.contains("ledger") || !json.contains("entries"))
    fault(name, "must be an object with \"ledger\" and \"entries\"");
  if (json["ledger"] != kVersion)
    fault(name, fmt::format("\"ledger\" must be {}, the version of the format", kVersion));
  if (!json["entries"].is_array()) fault(name, "\"entries\" must be a list in brackets");
  std::vector<LedgerEntry> entries;
  for (const Json& entry : json["entries"])
    entries.push_back(entry_of(entry, fmt::format("{}, entry {}", name, entries.size() + 1)));
  return entries;
}

std::vector<LedgerEntry> read_ledger(const std::string& path) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  if (fs::is_directory(path)) {
    for (const auto& file : fs::directory_iterator(path))
      if (file.path().extension() == ".json") files.push_back(file.path().string());
    std::sort(files.begin(), files.end());
  } else {
    files.push_back(path);
  }
  std::vector<LedgerEntry> entries;
  for (const std::string& file : files) {
    std::string text;
    try {
      text = read_whole_file(file);
    } catch (const EnvironmentError& error) {
      throw UsageError(fmt::format("--ledger: {}", error.what()));
    }
    for (LedgerEntry& entry : parse_ledger(text, file)) entries.push_back(std::move(entry));
  }
  return entries;
}

bool matches_glob(std::string_view glob, std::string_view text) {
  // Iterative: a star is retried one character further on whenever what follows it does not match.
  std::size_t g = 0, t = 0, star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t]) && glob[g] != '*') {
      ++g, ++t;
    } else if (g < glob.size() && glob[g] == '*') {
      star = g++, retry = t;
    } else if (star != std::string_view::npos) {
      g = star + 1, t = ++retry;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

bool matches_case(std::string_view pattern, const reference::Case& subject) {
  const std::vector<std::string> line = words_of(reference::print_case(subject));
  const auto value_of = [&](std::string_view key) -> const std::string* {
    for (const std::string& word : line)
      if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=') return &word;
    return nullptr;
  };
  for (const std::string& word : words_of(pattern)) {
    if (word.starts_with('!')) {
      if (value_of(word.substr(1)) != nullptr) return false;
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string* found = value_of(word.substr(0, equals));
    if (found == nullptr || !matches_glob(word.substr(equals + 1), found->substr(equals + 1))) return false;
  }
  return true;
}

void Ledger::apply(const std::string& kernel, Verdict& verdict) {
  const bool failure = is_failure(verdict.status);
  if (!failure && verdict.status != Status::passed && verdict.status != Status::known) return;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const LedgerEntry& entry = entries_[i];
    if (!matches_glob(entry.kernel, kernel) || !matches_glob(entry.property, verdict.property)) continue;
    // A pass has no kind: it is one of whatever the entry expects.
    if (failure && !entry.kind.empty() && !matches_glob(entry.kind, verdict.kind)) continue;
    if (!matches_case(entry.case_pattern, verdict.subject)) continue;
    Seen& seen = seen_[i];
    if (verdict.status == Status::passed) {
      if (seen.passed++ == 0) seen.first_passed = verdict.run_line;
      continue;
    }
    ++seen.failed;
    if (verdict.status == Status::known) continue;  // from the result file of a resumed run
    verdict.notes.push_back(fmt::format("known, was {}: {} ({})", name_of(verdict.status), entry.reason, entry.link));
    verdict.status = Status::known;
    return;
  }
}

std::vector<Ledger::Mended> Ledger::mended() const {
  std::vector<Mended> all;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (seen_[i].failed == 0 && seen_[i].passed > 0)
      all.push_back({entries_[i], seen_[i].passed, seen_[i].first_passed});
  return all;
}

}  // namespace xqacheck::properties
