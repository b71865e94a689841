#include "emulation/ptx/known/known.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>

#include "emulation/ptx/front/error.hpp"
#include "emulation/ptx/front/text_file.hpp"

namespace xqacheck::ptx {
namespace {

using Json = nlohmann::json;

std::optional<FindingKind> kind_of(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(FindingKind::mbarrier_misuse); ++i)
    if (name == name_of(static_cast<FindingKind>(i))) return static_cast<FindingKind>(i);
  return {};
}

std::string kind_names() {
  std::string names;
  for (int i = 0; i <= static_cast<int>(FindingKind::mbarrier_misuse); ++i)
    names += (i == 0 ? "" : ", ") + std::string(name_of(static_cast<FindingKind>(i)));
  return names;
}

class Reader {
 public:
  explicit Reader(std::string place) : place_(std::move(place)) {}

  [[noreturn]] void fail(const std::string& what) const { throw PtxError(place_ + ": " + what); }

  void keys(const Json& object, std::initializer_list<const char*> known) const {
    for (const auto& [key, value] : object.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      std::string list;
      for (const char* name : known) list += (list.empty() ? "" : ", ") + std::string(name);
      fail(fmt::format("unknown key '{}'; there are {}", key, list));
    }
  }
  std::string text(const Json& object, const char* key, bool needed) const {
    if (!object.contains(key)) {
      if (needed) fail(fmt::format("{} is missing", key));
      return "";
    }
    if (!object.at(key).is_string() || object.at(key).get<std::string>().empty())
      fail(fmt::format("{} must be a text that is not empty", key));
    return object.at(key).get<std::string>();
  }
  // One text or a list of them.
  std::vector<std::string> texts(const Json& object, const char* key, bool needed) const {
    if (!object.contains(key) || !object.at(key).is_array()) {
      const std::string one = text(object, key, needed);
      return one.empty() ? std::vector<std::string>{} : std::vector<std::string>{one};
    }
    std::vector<std::string> list;
    for (const Json& item : object.at(key)) {
      if (!item.is_string()) fail(fmt::format("{} must be a text or a list of texts", key));
      list.push_back(item.get<std::string>());
    }
    if (list.empty()) fail(fmt::format("{} is an empty list: leave it out", key));
    return list;
  }
  // "mha.cu:2779" or "mha.cu:2779-2790"
  SourceRange range(const std::string& text, const char* key) const {
    SourceRange range;
    const std::size_t colon = text.rfind(':');
    const char* at = text.c_str() + (colon == std::string::npos ? text.size() : colon + 1);
    const char* end = text.c_str() + text.size();
    const auto number = [&](std::uint32_t& value) {
      const auto [stop, error] = std::from_chars(at, end, value);
      if (error != std::errc{} || value == 0) return false;
      at = stop;
      return true;
    };
    bool good = colon != std::string::npos && colon != 0 && number(range.first);
    range.last = range.first;
    if (good && at != end && *at == '-') ++at, good = number(range.last);
    if (!good || at != end || range.last < range.first)
      fail(fmt::format("{} '{}': FILE:LINE or FILE:FIRST-LAST is expected", key, text));
    range.file = text.substr(0, colon);
    if (range.file.find('/') != std::string::npos)
      fail(fmt::format("{} '{}': the name of the file without its folders is expected", key, text));
    return range;
  }

 private:
  std::string place_;
};

KnownFinding read_entry(const Json& json, const Reader& reader) {
  if (!json.is_object()) reader.fail("an object is expected");
  reader.keys(json, {"kind", "memory", "at", "other", "reason"});
  KnownFinding entry;
  for (const std::string& name : reader.texts(json, "kind", true)) {
    const auto kind = kind_of(name);
    if (!kind) reader.fail(fmt::format("kind '{}': there are {}", name, kind_names()));
    entry.kinds.push_back(*kind);
  }
  entry.memory = reader.text(json, "memory", false);
  for (const std::string& text : reader.texts(json, "at", true)) entry.at.push_back(reader.range(text, "at"));
  for (const std::string& text : reader.texts(json, "other", false)) entry.other.push_back(reader.range(text, "other"));
  entry.reason = reader.text(json, "reason", true);
  return entry;
}

bool holds(const std::vector<SourceRange>& ranges, const std::string& path, std::uint32_t line) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  return std::any_of(ranges.begin(), ranges.end(), [&](const SourceRange& range) {
    return range.first <= line && line <= range.last && range.file == name;
  });
}

bool holds(const std::vector<SourceRange>& ranges, const std::string& path, std::uint32_t line,
           const std::vector<SourceLine>& calls) {
  return holds(ranges, path, line) || std::any_of(calls.begin(), calls.end(), [&](const SourceLine& call) {
           return holds(ranges, call.file, call.line);
         });
}

bool covers(const KnownFinding& entry, const Finding& finding) {
  if (std::find(entry.kinds.begin(), entry.kinds.end(), finding.kind) == entry.kinds.end()) return false;
  if (!entry.memory.empty() && entry.memory != finding.allocation) return false;
  const auto here = [&](const std::vector<SourceRange>& ranges) {
    return holds(ranges, finding.source_file, finding.source_line, finding.calls);
  };
  const auto there = [&](const std::vector<SourceRange>& ranges) {
    return holds(ranges, finding.other_file, finding.other_line, finding.other_calls);
  };
  if (entry.other.empty()) return finding.other_ptx_line == 0 && here(entry.at);
  return (here(entry.at) && there(entry.other)) || (here(entry.other) && there(entry.at));
}

std::string ranges_text(const std::vector<SourceRange>& ranges) {
  std::string text;
  for (const SourceRange& range : ranges) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", range.file, range.first);
    if (range.last != range.first) text += fmt::format("-{}", range.last);
  }
  return text;
}

}  // namespace

KnownFindings::KnownFindings(const std::string& text, const std::string& name) {
  const Json json = Json::parse(text, nullptr, false);
  const Reader file(name);
  if (json.is_discarded() || !json.is_object()) file.fail("this is not JSON with an object at its top");
  file.keys(json, {"known-findings", "kernel", "source", "entries"});
  if (!json.contains("known-findings") || json["known-findings"] != 1)
    file.fail("\"known-findings\": 1 is missing: it tells the version of the format");
  kernel_ = file.text(json, "kernel", false);
  file.text(json, "source", false);
  if (!json.contains("entries") || !json["entries"].is_array()) file.fail("entries must be a list");
  for (std::size_t i = 0; i < json["entries"].size(); ++i)
    entries_.push_back(read_entry(json["entries"][i], Reader(fmt::format("{}: entries[{}]", name, i))));
}

KnownFindings KnownFindings::read(const std::string& path) {
  return KnownFindings(read_text_file(path), path);
}

const KnownFinding* KnownFindings::match(const Finding& finding) {
  if (finding.kernel.find(kernel_) == std::string::npos) return nullptr;
  for (KnownFinding& entry : entries_) {
    if (!covers(entry, finding)) continue;
    entry.seen += finding.count;
    return &entry;
  }
  return nullptr;
}

std::string to_text(const KnownFinding& entry) {
  std::string text;
  for (const FindingKind kind : entry.kinds) text += (text.empty() ? "" : ", ") + std::string(name_of(kind));
  if (!entry.memory.empty()) text += " in " + entry.memory;
  text += " at " + ranges_text(entry.at);
  if (!entry.other.empty()) text += " with " + ranges_text(entry.other);
  return text;
}

}  // namespace xqacheck::ptx
