// Prints which planted faults the bounds and the filters see, beside the table of public rules
// (fixtures/oracle-power.md).
//   bench_detection [trials] [tokens …]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/reference/filters/planted_faults.hpp"

namespace {

using namespace xqacheck::tests;

struct Cell {
  int trials = 0, passed = 0, by_bound = 0, by_filter = 0, named = 0;
};

void print_table(std::uint32_t tokens, int trials) {
  const auto& faults = planted_faults();
  std::vector<Cell> cells[2] = {std::vector<Cell>(faults.size()), std::vector<Cell>(faults.size())};
  for (int e4m3 = 0; e4m3 < 2; ++e4m3) {
    for (int i = 0; i < trials; ++i) {
      const Trial trial = make_trial(tokens, static_cast<std::uint64_t>(i), e4m3 == 1);
      for (std::size_t f = 0; f < faults.size(); ++f) {
        const Judgement j = judge(faults[f].plant(trial), f != 0, 0);
        Cell& cell = cells[e4m3][f];
        ++cell.trials;
        cell.passed += j.detected() ? 0 : 1;
        cell.by_bound += j.by_bound ? 1 : 0;
        cell.by_filter += j.by_filter ? 1 : 0;
        cell.named += j.detected() && j.named ? 1 : 0;
        if (f != 0 && j.detected() && !j.named)
          fmt::print(stderr, "  {} #{} {}: told {}\n", tokens, i, faults[f].name, j.told);
        if (f != 0 && !j.detected())
          fmt::print(stderr, "  {} #{} {}: MISSED, told {}\n", tokens, i, faults[f].name, j.told);
      }
    }
  }
  fmt::print(
      "\n## {} tokens (2 KV heads x 8, d=128, page 16; {} trials; % of trials the defect PASSES; then % seen by bound "
      "/ by filter, % of the seen named right)\n",
      tokens, trials);
  fmt::print(
      "|defect|xqacheck, bf16 KV, bf16 P|bound/filter/named|xqacheck, e4m3 KV, e4m3 "
      "P|bound/filter/named|\n|--|--|--|--|--|\n");
  for (std::size_t f = 0; f < faults.size(); ++f) {
    fmt::print("|{}|", faults[f].name);
    for (const auto& column : cells) {
      const Cell& c = column[f];
      const int seen = c.trials - c.passed;
      fmt::print("{:.0f}|{:.0f}/{:.0f}/{}|", 100.0 * c.passed / c.trials, 100.0 * c.by_bound / c.trials,
                 100.0 * c.by_filter / c.trials,
                 seen > 0 && f != 0 ? fmt::format("{:.0f}", 100.0 * c.named / seen) : "-");
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int trials = argc > 1 ? std::atoi(argv[1]) : 100;
  std::vector<std::uint32_t> tokens;
  for (int i = 2; i < argc; ++i) tokens.push_back(static_cast<std::uint32_t>(std::atoi(argv[i])));
  if (tokens.empty()) tokens = {110, 514, 2048, 4096};
  const auto start = std::chrono::steady_clock::now();
  for (std::uint32_t t : tokens) print_table(t, trials);
  fmt::print("\n{:.1f} s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}
