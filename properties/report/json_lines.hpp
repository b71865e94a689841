// JSON Lines results: one JSON object a line. Format xqacheck-results/1, described in doc/results-format.md:
// a header line, one line a verdict, a summary line. Lines are flushed one by one, so that a killed run leaves
// everything it found; a torn last line is tolerated when reading.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/report/exit_code.hpp"
#include "properties/report/header.hpp"
#include "properties/report/tally.hpp"
#include "properties/verdict.hpp"

namespace xqacheck::properties {

std::string json_of(const RunHeader& header);
// `type`: "verdict", or "shrunk" for the smallest case that fails as an earlier verdict did.
std::string json_of(const Verdict& verdict, const std::string& kernel, std::uint64_t case_number,
                    const char* type = "verdict");
std::string json_of(const Tally& tally, const Conclusion& conclusion, double seconds);

class JsonLinesFile {
 public:
  JsonLinesFile(const std::string& path, const RunHeader& header);  // throws EnvironmentError
  // Goes on after the first `kept_bytes` of the file, which end with a line; what follows them is cut off.
  JsonLinesFile(const std::string& path, std::size_t kept_bytes);
  void add(const Verdict& verdict, const std::string& kernel, std::uint64_t case_number);
  void add_shrunk(const Verdict& verdict, const std::string& kernel, std::uint64_t case_number);
  void add_record(const std::string& json);  // a line of another type: budget, causes
  void finish(const Tally& tally, const Conclusion& conclusion, double seconds);

 private:
  void line(const std::string& json);
  std::string path_;
  std::ofstream out_;
};

struct ResultLine {
  std::string kernel;
  std::uint64_t case_number = 0;
  Verdict verdict;  // `subject` is parsed from the run line
};

struct Results {
  std::string tool;  // version that wrote the file
  std::vector<ResultLine> verdicts;
  std::vector<ResultLine> shrunk;  // smallest cases of some of the failures
  bool torn = false;               // the last line was cut off and is left out
  std::optional<int> exit_code;    // of the summary; absent when the run did not end
};

// Throws UsageError naming the line when the text is no result of a version that this tool reads.
Results parse_results(std::string_view text);

}  // namespace xqacheck::properties
