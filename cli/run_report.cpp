#include "cli/run_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <set>

#include "properties/errors.hpp"
#include "properties/report/atomic_file.hpp"
#include "properties/report/explain.hpp"

namespace xqacheck::cli {

using namespace properties;

namespace {

constexpr int kMapped = 5;     // failures of one kind with their maps in the result file: some kilobytes each
constexpr int kExplained = 2;  // failures of one kind in full; all others are in the result files

std::string kind_of(const std::string& kernel, const Verdict& verdict) {
  return kernel + ' ' + verdict.property + ' ' + name_of(verdict.status) + ' ' + verdict.kind;
}

Verdict without_maps(Verdict verdict) {
  verdict.maps.clear();
  return verdict;
}

double share(const char* option, double per_cent) {
  if (!(per_cent >= 0 && per_cent <= 100))
    throw UsageError(fmt::format("{} {:g}: needs a share in per cent, 0 to 100", option, per_cent));
  return per_cent / 100;
}

}  // namespace

void add_ledger_option(CLI::App& command, std::vector<std::string>& paths) {
  command.add_option("--ledger", paths, "Known failures: a JSON file, or a folder of them (doc/ledger.md)")
      ->type_name("PATH");
}

properties::Ledger ledger_of(const std::vector<std::string>& paths) {
  std::vector<LedgerEntry> entries;
  for (const std::string& path : paths)
    for (LedgerEntry& entry : read_ledger(path)) entries.push_back(std::move(entry));
  return Ledger(std::move(entries));
}

void add_report_options(CLI::App& command, ReportOptions& options) {
  command.add_option("--json", options.json, "Write every verdict as a JSON line (doc/results-format.md)")
      ->type_name("FILE");
  command.add_flag("--times", options.times, "Print what each property costs");
  command.add_flag("--resume", options.resume,
                   "Go on with the file of --json that a run of the same cases left when it was killed");
  command.add_option("--junit", options.junit, "Write JUnit XML")->type_name("FILE");
  add_ledger_option(command, options.ledgers);
  command.add_option("--min-executed", options.min_executed, "Exit with 4 when fewer of the cases ran (50)")
      ->type_name("PERCENT");
  command.add_option("--max-mistrusted", options.max_mistrusted, "Exit with 4 when more verdicts are MISTRUSTED (5)")
      ->type_name("PERCENT");
}

RunReport::RunReport(const ReportOptions& options, RunHeader header, std::uint64_t total)
    : options_(options),
      header_(std::move(header)),
      junit_(header_),
      progress_(stderr, isatty(STDERR_FILENO) != 0, total) {
  demands_.min_executed = share("--min-executed", options.min_executed);
  demands_.max_mistrusted = share("--max-mistrusted", options.max_mistrusted);
  ledger_ = ledger_of(options.ledgers);
  if (!options.junit.empty()) require_writable(options.junit);
  open_json();
}

void RunReport::open_json() {
  if (options_.resume && options_.json.empty())
    throw UsageError("--resume: needs --json FILE, the results to go on with");
  if (options_.json.empty()) return;
  std::set<std::string> names;
  for (const KernelInfo& kernel : header_.kernels)
    if (options_.resume && !names.insert(kernel.name).second)
      throw UsageError("--resume: two kernels are called " + kernel.name + ", so their results cannot be told apart");
  if (options_.resume && std::filesystem::exists(options_.json))
    resumed_ = resume_point(read_whole_file(options_.json), header_);
  json_ = resumed_.kept_bytes > 0 ? std::make_unique<JsonLinesFile>(options_.json, resumed_.kept_bytes)
                                  : std::make_unique<JsonLinesFile>(options_.json, header_);
}

void RunReport::add(const std::string& kernel, const CaseResult& result, const std::string& reproduce) {
  for (Verdict verdict : result.verdicts) {
    ledger_.apply(kernel, verdict);
    const auto seen = explained_.find(kind_of(kernel, verdict));
    const bool drawn = seen == explained_.end() || seen->second < kMapped;
    if (json_) json_->add(drawn ? verdict : without_maps(verdict), kernel, result.number);
    if (count(kernel, verdict, result.number)) say(explain(verdict, reproduce));
  }
  tally_.add_case(result.executed);
  progress_.advance(++done_, tally_.total().failures());
}

void RunReport::replay(const std::string& kernel, const CaseResult& result) {
  for (Verdict verdict : result.verdicts) {
    ledger_.apply(kernel, verdict);
    count(kernel, verdict, result.number);
  }
  tally_.add_case(result.executed);
  ++done_;
}

bool RunReport::count(const std::string& kernel, const Verdict& verdict, std::uint64_t case_number) {
  tally_.add(kernel, verdict);
  junit_.add(verdict, kernel);
  if (!is_failure(verdict.status)) return false;
  const int seen = explained_[kind_of(kernel, verdict)]++;
  if (seen == 0) distinct_.push_back({kernel, verdict, case_number});
  return seen < kExplained;
}

void RunReport::add_shrunk(const Distinct& failure, const Verdict& smallest) {
  if (json_) json_->add_shrunk(smallest, failure.kernel, failure.case_number);
}

void RunReport::say(const std::string& text) {
  progress_.clear();
  fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  std::fflush(stdout);
}

int RunReport::finish() {
  progress_.clear();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  for (const Ledger::Mended& mended : ledger_.mended()) {
    tally_.add_known_failure_that_passes();
    say(fmt::format("KNOWN FAILURE PASSES: {} ({}, {}): {} of {} judged; first {}\n  take it out of the ledger: {}",
                    mended.entry.reason, mended.entry.kernel, mended.entry.property, mended.passed, mended.passed,
                    mended.run_line, mended.entry.place));
  }
  const Conclusion conclusion = conclude(tally_, demands_);
  if (json_) json_->finish(tally_, conclusion, seconds);
  if (!options_.junit.empty()) write_file_atomically(options_.junit, junit_.text());
  say("\n" + summary_table(tally_, conclusion, seconds));
  if (options_.times) say(time_table(tally_));
  if (!options_.json.empty()) say("results: " + options_.json);
  if (!options_.junit.empty()) say("JUnit: " + options_.junit);
  return static_cast<int>(conclusion.code);
}

}  // namespace xqacheck::cli
