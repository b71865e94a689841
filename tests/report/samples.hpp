// Result files for the tests of the report.
#pragma once

#include <string>

#include "properties/report/html/report_data.hpp"
#include "properties/report/json_lines.hpp"
#include "tests/properties/sample_verdicts.hpp"

namespace xqacheck::tests {

// Header, one verdict of each status, a shrunk failure, summary.
inline std::string sample_results() {
  using namespace properties;
  std::string text = json_of(sample_header()) + "\n";
  Tally tally;
  std::uint64_t number = 0;
  for (const Verdict& verdict : all_samples()) {
    text += json_of(verdict, "flash32", number++) + "\n";
    tally.add("flash32", verdict);
  }
  text += json_of(failed_sample(), "flash32", 0, "shrunk") + "\n";
  return text + json_of(tally, conclude(tally, {}), 1.5) + "\n";
}

inline properties::html::ReportData gather_text(const std::string& text) {
  return properties::html::gather({{"r.jsonl", text}}, "2026-01-31T12:00:00Z");
}

// The figures of two kernels on one case, one of which refuses it, as `xqacheck perf --json` writes them.
inline std::string sample_perf() {
  return R"({
 "format": "xqacheck-perf/1", "tool": "0.1.0", "command": ["xqacheck", "perf"], "device": "a GPU", "host": "example",
 "started": "2026-01-31T12:00:00Z", "copy": {"bytes": 1073741824, "bytes_per_second": 4.0e12},
 "cases": [
  {"case": "xqa/1 heads=32/4 len=4096x8", "kv_bytes": 67108864, "other_bytes": 65536, "beyond_cache": true,
   "kernels": [
    {"kernel": "mine", "splits": 4, "microseconds": {"least": 18, "q1": 19, "median": 20, "q3": 21, "most": 30, "samples": 31},
     "bytes_per_second": 3.3e12, "share_of_copy": 0.83},
    {"kernel": "other", "refused": "heads 32/4: no"}]}]
}
)";
}

}  // namespace xqacheck::tests
