// xqacheck repro: replays a run line, or every line of a saved failure or corpus.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.hpp"
#include "cli/judging_options.hpp"
#include "cli/kernel_runners.hpp"
#include "cli/run_report.hpp"
#include "properties/campaign.hpp"
#include "properties/corpus.hpp"
#include "properties/diagnose.hpp"
#include "properties/errors.hpp"
#include "properties/failure_file.hpp"
#include "properties/report/atomic_file.hpp"
#include "properties/report/exit_code.hpp"
#include "properties/report/explain.hpp"

namespace xqacheck::cli {
namespace {

using namespace properties;

struct Options {
  std::string what;    // a line, or the path of a file
  std::string kernel;  // in place of the line's
  JudgingOptions judging;
  std::vector<std::string> ledgers;  // files or folders of known failures
};

struct Replay {
  std::vector<CorpusEntry> entries;
  std::optional<SavedFailure> saved;  // of a failure file: what to compare with
};

Replay read(const Options& options) {
  Replay replay;
  if (options.what.starts_with("xqa/")) {
    replay.entries.push_back(parse_entry(options.what, "run line"));
    return replay;
  }
  std::string text;
  try {
    text = read_whole_file(options.what);
  } catch (const EnvironmentError& error) {
    throw UsageError(
        fmt::format("{}; repro takes a run line that begins with xqa/1, a saved failure or a corpus", error.what()));
  }
  if (is_failure_file(text)) {
    replay.saved = parse_failure(text, options.what);
    refuse_other_data(*replay.saved, hash_of(reference::make_problem(replay.saved->run.subject)), options.what);
    replay.entries.push_back({replay.saved->run, options.what});
  } else {
    replay.entries = parse_corpus(text, options.what);
  }
  return replay;
}

std::vector<const Property*> properties_of(const reference::RunLine& run, const Options& options) {
  if (!options.judging.properties.empty()) return chosen_properties(options.judging);
  if (!run.property.empty()) return {property_named(run.property)};
  return {property_named("golden")};
}

std::string same_or_not(const SavedFailure& saved, const Verdict& verdict) {
  const bool same = saved.status == name_of(verdict.status) && saved.kind == verdict.kind;
  std::string text = same ? fmt::format("reproduced: {} {}, as saved\n", saved.status, saved.kind)
                          : fmt::format("not reproduced: saved {} {}, now {} {}\n", saved.status, saved.kind,
                                        name_of(verdict.status), verdict.kind);
  if (saved.out_hash != 0)
    text += saved.out_hash == verdict.out_hash
                ? "output bytes: the same as saved\n"
                : fmt::format("output bytes: not those that were saved ({:016x})\n", saved.out_hash);
  return text;
}

// 2, 3, 1, 4: the worst of two verdicts decides.
int worse(int a, ExitCode b) {
  const int code = static_cast<int>(b);
  if (a == 1 || code == 1) return 1;
  return std::max(a, code);
}

void run(const Options& options) {
  const Replay replay = read(options);
  const TrialOptions trial = trial_options(options.judging);
  Ledger ledger = ledger_of(options.ledgers);
  std::string loaded;
  Runners runners;
  int exit = 0;
  for (const CorpusEntry& entry : replay.entries) {
    reference::RunLine run = entry.run;
    if (!options.kernel.empty()) run.kernel = options.kernel;
    if (run.kernel.empty())
      throw UsageError(
          entry.place +
          ": names no kernel: add ' @ kernel=NAME' to the line or give --kernel (see: xqacheck list kernels)");
    if (run.device == reference::Device::ptx) choose_device("ptx");
    if (run.kernel != loaded) runners = make_runners(run.kernel, 1), loaded = run.kernel;
    reference::make_problem(run.subject);  // a case that cannot be made is an error of the line here
    Trial one(run, *runners.front(), trial);
    for (const Property* property : properties_of(run, options)) {
      Verdict verdict = judge_property(*property, one);
      add_diagnosis(verdict, one);
      const std::string compared =
          replay.saved && verdict.property == replay.saved->run.property ? same_or_not(*replay.saved, verdict) : "";
      ledger.apply(runners.front()->description().name, verdict);
      fmt::print("{}", explain(verdict));
      fmt::print("  output xxh64: {:016x}\n{}", verdict.out_hash, compared);
      exit = worse(exit, exit_code_of(verdict.status));
    }
  }
  for (const Ledger::Mended& mended : ledger.mended()) {
    fmt::print("KNOWN FAILURE PASSES: {}\n  take it out of the ledger: {}\n", mended.entry.reason, mended.entry.place);
    exit = worse(exit, ExitCode::failed);
  }
  set_exit_code(exit);
}

}  // namespace

void add_repro_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("repro", "Replay a run line, a saved failure or a corpus");
  command->add_option("what", options->what, "A run line in quotes, or a file")->required()->type_name("LINE|FILE");
  add_device_option(*command);
  command->add_option("--kernel", options->kernel, "Replay on this kernel instead of the line's")->type_name("KERNEL");
  add_judging_options(*command, options->judging);
  add_ledger_option(*command, options->ledgers);
  command->footer(
      "Examples:\n"
      "  xqacheck repro 'xqa/1 heads=16/2 len=513 kv=e4m3 seed=7 @ kernel=flash32 prop=golden'\n"
      "  xqacheck repro failures/flash32-golden-0123456789abcdef.txt\n"
      "  xqacheck repro failures/x.txt --kernel ./fixed.so\n"
      "Prints the verdict and the xxh64 of the output. Exit code: as of verify; 2 for a stale file.");
  command->callback([options] { run(*options); });
}

}  // namespace xqacheck::cli
