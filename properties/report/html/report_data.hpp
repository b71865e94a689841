// What the HTML report shows, gathered from result files: one JSON document that the page's scripts read. Verdicts are
// columns and their texts are stored once, so that a run of 100,000 verdicts stays a page of some 10 MB.
//
// {"format": "xqacheck-report/1", "tool": …, "made": UTC time,
//  "text": [every text once; other places hold indices],
//  "runs": [{"file", "header", "summary" or null, "torn", "records", "kind": "results" or "perf"}],   a file may hold
//  several runs, one after the other "cases": {"line": [], "length": [], "requests": [], "heads": [], "dim": [], "q":
//  [], "kv": [], "out": []},   -1, 0: not readable "verdicts": {"run", "number", "kernel", "property", "status",
//  "kind", "case", "how", "message", "elements", "bad",
//               "used", "splits", "device", "hash", "seconds", "rms", "sigma", "limit", "signal", "largest":
//               [one entry a verdict], "detail": [[index, {"evidence", "notes", "maps"}]]},
//  "shrunk", "budget", "causes", "perf", "power": [the records as they are, with "in_run": index; perf: its cases]}
#pragma once

#include <string>
#include <vector>

namespace xqacheck::properties::html {

struct ResultText {
  std::string name;  // of the file, for messages and for the page
  std::string text;
};

struct ReportData {
  std::string json;                   // pure ASCII without `<`: safe inside of a script element
  std::vector<std::string> warnings;  // files of runs that did not end, and the like
};

// Throws UsageError "NAME, line N: …" when a line is no result of a version that this tool reads. A last line without a
// line end was cut off when its run was killed: it is left out, with a warning.
ReportData gather(const std::vector<ResultText>& files, const std::string& made);

}  // namespace xqacheck::properties::html
