#include "cli/save_failures.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "properties/corpus.hpp"
#include "properties/diagnose.hpp"
#include "properties/failure_file.hpp"
#include "properties/report/atomic_file.hpp"
#include "properties/report/explain.hpp"
#include "properties/shrink_failure.hpp"

namespace xqacheck::cli {

using namespace properties;

namespace {

constexpr std::size_t kMostSaved = 10;  // failures of distinct kinds; more are consequences of these

// With what the error looks like, for people.
Verdict diagnosed(Verdict verdict, Runners& runners, const JudgingOptions& judging) {
  Trial trial(reference::parse_run_line(verdict.run_line), *runners.front(), trial_options(judging));
  add_diagnosis(verdict, trial);
  return verdict;
}

Verdict shrunk(const Verdict& failing, const reference::RunLine& run, const JudgingOptions& judging, Runners& runners,
               RunReport& report) {
  report.say("shrinking " + failing.run_line);
  const ShrunkFailure smaller =
      shrink_failure(*property_named(failing.property), failing, run, runners, trial_options(judging));
  if (smaller.verdict.status != failing.status || smaller.verdict.kind != failing.kind) {
    report.say(fmt::format(
        "  the smallest case gives {} when it runs again: this failure does not repeat; keeping the case as found",
        name_of(smaller.verdict.status)));
    return failing;
  }
  report.say(fmt::format("  {} of {} candidates were smaller and failed alike; {}", smaller.how.accepted,
                         smaller.how.tried,
                         smaller.how.local_minimum ? "no single step makes it smaller still"
                         : smaller.how.out_of_time ? "stopped by the time limit"
                                                   : "stopped by the limit on candidates"));
  const Verdict smallest = diagnosed(smaller.verdict, runners, judging);
  report.say(explain(smallest));
  return smallest;
}

}  // namespace

void add_save_options(CLI::App& command, SaveOptions& options) {
  command.add_option("--failures", options.folder, "Folder for saved failures (failures)")->type_name("FOLDER");
  command.add_option("--save-corpus", options.corpus, "Append the run lines of saved failures to this corpus")
      ->type_name("FILE");
  command.add_flag("--no-shrink", options.no_shrink, "Save failures as they were found");
}

void save_failures(const SaveOptions& options, const JudgingOptions& judging, const std::string& kernel,
                   Runners& runners, RunReport& report) {
  std::vector<std::string> saved_lines;
  for (const RunReport::Distinct& failure : report.failures()) {
    if (failure.kernel != kernel || saved_lines.size() >= kMostSaved) continue;
    const reference::RunLine run = reference::parse_run_line(failure.verdict.run_line);
    const Verdict verdict =
        options.no_shrink ? failure.verdict : shrunk(failure.verdict, run, judging, runners, report);
    if (!options.no_shrink) report.add_shrunk(failure, verdict);
    const SavedFailure saved =
        saved_failure(verdict, failure.verdict.run_line, hash_of(reference::make_problem(verdict.subject)));
    const std::string path = options.folder + "/" + file_name_of(saved);
    write_file_atomically(path, text_of(saved));
    report.say("saved " + path);
    saved_lines.push_back(verdict.run_line);
  }
  if (!options.corpus.empty() && !saved_lines.empty()) {
    append_to_corpus(options.corpus, saved_lines);
    report.say("appended to " + options.corpus);
  }
}

}  // namespace xqacheck::cli
