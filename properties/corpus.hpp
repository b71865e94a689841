// Corpus: a text file of case lines or run lines, one a line; blank lines and lines that begin with # are skipped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/run_line.hpp"

namespace xqacheck::properties {

struct CorpusEntry {
  reference::RunLine run;
  std::string place;  // "corpus.txt:12", for messages
};

// Throws UsageError that names file and line: malformed lines, unknown properties, lines saved by another version of
// the tool, a file without any line.
std::vector<CorpusEntry> parse_corpus(std::string_view text, const std::string& name);
std::vector<CorpusEntry> read_corpus(const std::string& path);

// A single line, as --case and repro take it; `place` is "--case" or the like.
CorpusEntry parse_entry(std::string_view line, const std::string& place);

// Adds lines that the file does not hold yet; creates the file. The file is replaced as a whole.
void append_to_corpus(const std::string& path, const std::vector<std::string>& run_lines);

}  // namespace xqacheck::properties
