// What a run of many cases tells: progress, failures as they are found, JSON Lines, JUnit, the table and the exit code.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "properties/campaign.hpp"
#include "properties/ledger.hpp"
#include "properties/report/exit_code.hpp"
#include "properties/report/header.hpp"
#include "properties/report/json_lines.hpp"
#include "properties/report/junit.hpp"
#include "properties/report/progress.hpp"
#include "properties/report/resume.hpp"

namespace CLI {
class App;
}

namespace xqacheck::cli {

struct ReportOptions {
  std::string json, junit;           // paths; empty: not written
  std::vector<std::string> ledgers;  // files or folders of known failures
  bool times = false;                // print the time by property
  bool resume = false;               // go on with the JSON file that a killed run left
  double min_executed = 50;          // per cent
  double max_mistrusted = 5;         // per cent
};

void add_report_options(CLI::App& command, ReportOptions& options);

void add_ledger_option(CLI::App& command, std::vector<std::string>& paths);  // --ledger alone
// Of all files and folders. Throws UsageError.
properties::Ledger ledger_of(const std::vector<std::string>& paths);

class RunReport {
 public:
  // `total`: cases of all kernels. Throws EnvironmentError when a result file cannot be written, UsageError for a bad
  // share.
  RunReport(const ReportOptions& options, properties::RunHeader header, std::uint64_t total);

  // `reproduce`: the command that replays a failing verdict; empty: `xqacheck repro` with its run line.
  void add(const std::string& kernel, const properties::CaseResult& result, const std::string& reproduce = "");

  // What the JSON file held when the run began, with --resume; to be handed to `replay` kernel by kernel, in order.
  const properties::ResumePoint& resumed() const { return resumed_; }
  // Counts a case of an earlier run; its lines are in the file already.
  void replay(const std::string& kernel, const properties::CaseResult& result);

  // The first failure of every (kernel, property, kind).
  struct Distinct {
    std::string kernel;
    properties::Verdict verdict;
    std::uint64_t case_number = 0;
  };

  // The smallest case that fails as `failure` does, for the result file; the counts stay as they are.
  void add_shrunk(const Distinct& failure, const properties::Verdict& smallest);

  // A line of another type for the result file (doc/results-format.md).
  void record(const std::string& json) {
    if (json_) json_->add_record(json);
  }

  void say(const std::string& text);  // a line for people, between the progress lines

  const std::vector<Distinct>& failures() const { return distinct_; }

  int finish();  // writes files and table; returns the exit code

 private:
  void open_json();
  // True for a failure that is to be explained: the first ones of their kind.
  bool count(const std::string& kernel, const properties::Verdict& verdict, std::uint64_t case_number);

  ReportOptions options_;
  properties::Demands demands_;
  properties::RunHeader header_;
  properties::ResumePoint resumed_;
  std::unique_ptr<properties::JsonLinesFile> json_;
  properties::JUnit junit_;
  properties::Ledger ledger_;
  properties::Tally tally_;
  properties::Progress progress_;
  std::vector<Distinct> distinct_;
  std::map<std::string, int> explained_;  // by kernel, property and kind
  std::uint64_t done_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace xqacheck::cli
