// Prints which planted faults the bounds and the filters see, beside the table of public rules
// (fixtures/oracle-power.md).
//   bench_detection [trials] [trials that are also explained] [tokens …]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/reference/filters/planted_faults.hpp"

namespace {

using namespace xqacheck::tests;

struct Cell {
  int trials = 0, passed = 0, by_bound = 0, asked = 0, by_filter = 0, explained = 0, named = 0;

  void add(const Judgement& j) {
    ++trials;
    passed += j.detected() ? 0 : 1;
    by_bound += j.by_bound ? 1 : 0;
    asked += j.asked ? 1 : 0;
    by_filter += j.by_filter ? 1 : 0;
    explained += j.explained && j.detected() ? 1 : 0;
    named += j.explained && j.detected() && j.named ? 1 : 0;
  }
  // "% passed | seen by the bound, by the filter where asked, named right where explained"
  std::string text() const {
    return fmt::format("{:.4g}|{}/{}, {}/{}, {}/{}", 100.0 * passed / trials, by_bound, trials, by_filter, asked, named,
                       explained);
  }
};

std::vector<Cell> run_trials(std::uint32_t tokens, bool e4m3, int trials, int explained) {
  const auto& faults = planted_faults();
  std::vector<Cell> cells(faults.size());
  // Trials share nothing, so they run on all cores; the explained ones, which take longest, come first.
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < trials; ++i) {
    const Trial trial = make_trial(tokens, static_cast<std::uint64_t>(i), e4m3);
    for (std::size_t f = 0; f < faults.size(); ++f) {
      const Judgement j = judge(faults[f].plant(trial), f != 0 && i < explained, 1);
#pragma omp critical(bench_detection)
      {
        cells[f].add(j);
        const bool misnamed = j.explained && j.detected() && !j.named;
        if (f == 0 ? j.detected() : misnamed || !j.detected()) {
          fmt::print(stderr, "{} tokens, {}, trial {}: {} {} {}\n", tokens, e4m3 ? "e4m3" : "bf16", i, faults[f].name,
                     f == 0     ? "false alarm"
                     : misnamed ? "told as"
                                : "missed",
                     j.told);
        }
      }
    }
  }
  return cells;
}

// Rows of the public rules for one length: defect -> "|…|…|".
std::vector<std::string> public_rows(std::uint32_t tokens) {
  const char* source = std::getenv("XQACHECK_SOURCE_DIR");
  std::ifstream file(std::string(source != nullptr ? source : ".") + "/fixtures/oracle-power.md");
  std::vector<std::string> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("## ", 0) == 0) inside = line.rfind(fmt::format("## {} tokens", tokens), 0) == 0;
    if (inside && line.rfind("|", 0) == 0) rows.push_back(line);
  }
  return rows;
}

void print_table(std::uint32_t tokens, int trials, int explained) {
  const auto& faults = planted_faults();
  const std::vector<Cell> bf16 = run_trials(tokens, false, trials, explained),
                          e4m3 = run_trials(tokens, true, trials, explained);
  fmt::print(
      "\n## {} tokens: % of {} trials in which the defect PASSES; seen by the bound, by the filters where asked, named "
      "right\n\n",
      tokens, trials);
  const std::vector<std::string> known = public_rows(tokens);
  const std::string header = known.size() > 1 ? known[0].substr(std::string("|defect|").size()) : "";
  const std::string rule = known.size() > 1 ? known[1].substr(std::string("|--|").size()) : "";
  fmt::print(
      "|defect|xqacheck bf16 KV, bf16 P|bound, filters, named|xqacheck e4m3 KV, e4m3 P|bound, filters, named|{}\n",
      header);
  fmt::print("|--|--|--|--|--|{}\n", rule);
  for (std::size_t f = 0; f < faults.size(); ++f) {
    std::string others;
    for (const std::string& row : known) {
      const std::string start = "|" + faults[f].name + "|";
      if (row.rfind(start, 0) == 0) others = row.substr(start.size());
    }
    fmt::print("|{}|{}|{}|{}\n", faults[f].name, bf16[f].text(), e4m3[f].text(), others);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int trials = argc > 1 ? std::atoi(argv[1]) : 100, explained = argc > 2 ? std::atoi(argv[2]) : trials;
  std::vector<std::uint32_t> tokens;
  for (int i = 3; i < argc; ++i) tokens.push_back(static_cast<std::uint32_t>(std::atoi(argv[i])));
  if (tokens.empty()) tokens = {110, 514, 2048, 4096};
  const auto start = std::chrono::steady_clock::now();
  for (std::uint32_t t : tokens) print_table(t, trials, explained);
  fmt::print("\n{:.1f} s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}
