#include "properties/corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "properties/errors.hpp"
#include "properties/property.hpp"
#include "properties/report/atomic_file.hpp"
#include "properties/tool_version.hpp"

namespace xqacheck::properties {
namespace {

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = line.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(trimmed(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

bool holds_entry(std::string_view line) {
  return !line.empty() && line.front() != '#';
}

}  // namespace

CorpusEntry parse_entry(std::string_view line, const std::string& place) {
  CorpusEntry entry;
  entry.place = place;
  try {
    entry.run = reference::parse_run_line(line);
  } catch (const reference::CaseError& error) {
    throw UsageError(fmt::format("{}: {}", place, error.what()));
  }
  if (!entry.run.property.empty() && !property_named(entry.run.property)) {
    std::vector<std::string_view> known;
    for (const Property* property : all_properties()) known.emplace_back(property->id);
    throw UsageError(fmt::format("{}: prop={}: no such property; there are {}{}", place, entry.run.property,
                                 fmt::join(known, ", "), [&] {
                                   const std::string near = reference::nearest_of(entry.run.property, known);
                                   return near.empty() ? "" : " (did you mean '" + near + "'?)";
                                 }()));
  }
  if (!entry.run.tool.empty() && entry.run.tool != short_version())
    throw UsageError(
        fmt::format("{}: tool={}: saved by another version than this {}, whose data may differ; run the case part "
                    "alone (without ' @ …') and save it again",
                    place, entry.run.tool, short_version()));
  return entry;
}

std::vector<CorpusEntry> parse_corpus(std::string_view text, const std::string& name) {
  if (text.find('\0') != std::string_view::npos) throw UsageError(name + ": holds a zero byte, so it is no text file");
  std::vector<CorpusEntry> entries;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (holds_entry(line)) entries.push_back(parse_entry(line, fmt::format("{}:{}", name, number)));
  }
  if (entries.empty())
    throw UsageError(name + ": holds no case line; a corpus has one case or run line a line, # begins a comment");
  return entries;
}

std::vector<CorpusEntry> read_corpus(const std::string& path) {
  std::string text;
  try {
    text = read_whole_file(path);
  } catch (const EnvironmentError& error) {
    throw UsageError(error.what());  // a wrong name is the caller's to correct
  }
  return parse_corpus(text, path);
}

void append_to_corpus(const std::string& path, const std::vector<std::string>& run_lines) {
  std::string text =
      std::filesystem::exists(path) ? read_whole_file(path) : "# xqacheck corpus: one case or run line a line\n";
  if (!text.empty() && text.back() != '\n') text += '\n';
  std::set<std::string> known;
  for (const std::string_view line : lines_of(text)) known.emplace(line);
  for (const std::string& line : run_lines)
    if (known.insert(line).second) text += line + '\n';
  write_file_atomically(path, text);
}

}  // namespace xqacheck::properties
