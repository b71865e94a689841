// The relative L2 errors that the public kernels were measured to have on a GPU
// (fixtures/budgets/measured/relative_l2.txt) are those of their emulators on other random inputs of the same
// distribution: the mean of 16 seeds within 10 %.
//
// The measured number is one run, that is one draw, whose inputs are not known here. Its spread from seed to seed is 2
// to 5 % with heavy tails, so among 108 comparisons a few could lie further off than 10 % although nothing is wrong.
// Two did, and were measured again (the file says how); now none does.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "emulation/kernels/emulate.hpp"
#include "reference/case_line.hpp"
#include "reference/formats.hpp"
#include "reference/golden.hpp"
#include "reference/problem.hpp"
#include "tests/catch.hpp"

using namespace xqacheck;

namespace {

constexpr std::uint64_t kSeeds = 16;
constexpr double kWithin = 0.10;

struct Row {
  std::string q, kv, kernel, with_q;
  std::uint32_t tokens = 0, splits = 0;
  double relative_l2 = 0;
};

std::vector<Row> measured_rows() {
  const char* root = std::getenv("XQACHECK_SOURCE_DIR");
  REQUIRE(root != nullptr);
  std::ifstream in(std::string(root) + "/fixtures/budgets/measured/relative_l2.txt");
  REQUIRE(in);
  std::vector<Row> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Row row;
    words >> row.q >> row.kv >> row.kernel >> row.tokens >> row.splits >> row.relative_l2 >> row.with_q;
    REQUIRE(words);
    rows.push_back(row);
  }
  REQUIRE(rows.size() == 90);
  return rows;
}

double relative_l2(const std::vector<double>& got, const std::vector<double>& want) {
  double error = 0, square = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    error += (got[i] - want[i]) * (got[i] - want[i]), square += want[i] * want[i];
  return std::sqrt(error / square);
}

struct Errors {
  double given_q = 0, rounded_q = 0;
};

// How far the mean of the seeds is from the measured value, relative.
double distance(const std::vector<double>& seeds, double measured) {
  double sum = 0;
  for (const double x : seeds) sum += x;
  const double mean = sum / static_cast<double>(seeds.size()), far = std::fabs(mean / measured - 1);
  INFO(measured << " measured, mean of the seeds " << mean);
  CHECK(far <= kWithin);
  return far;
}

// Of one seed: against q as given, and against q rounded to e4m3.
Errors errors(const Row& row, std::uint64_t seed) {
  reference::Case c =
      reference::parse_case(fmt::format("xqa/1 heads=16/2 len={}x2 q={} kv={}", row.tokens, row.q, row.kv));
  c.seed = seed;
  const reference::Problem problem = reference::make_problem(c);
  std::vector<std::byte> out(problem.out_bytes());
  xqacheck_problem view = problem.view(out.data(), nullptr);
  view.forced_splits = row.splits;
  emulation::emulate(row.kernel == "emu-hmma" ? emulation::hmma_recipe() : emulation::gmma_recipe(), view);
  std::vector<double> got(out.size() / 2);
  for (std::size_t i = 0; i < got.size(); ++i)
    got[i] = reference::decode(c.q, reinterpret_cast<const std::uint16_t*>(out.data())[i]);
  xqacheck_numerics numerics{};
  Errors e;
  e.given_q = relative_l2(got, reference::golden(view, &numerics, {.error_model = false}).out);
  numerics.q_format = XQACHECK_E4M3;
  if (row.with_q != "-") e.rounded_q = relative_l2(got, reference::golden(view, &numerics, {.error_model = false}).out);
  return e;
}

// Every `step`-th row from `first` on.
void compare(std::size_t first, std::size_t step, std::uint32_t most_tokens) {
  const std::vector<Row> rows = measured_rows();
  double furthest = 0;
  std::size_t compared = 0;
  for (std::size_t i = first; i < rows.size(); i += step) {
    const Row& row = rows[i];
    if (row.tokens > most_tokens) continue;
    std::vector<double> given_q, rounded_q;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const Errors e = errors(row, seed);
      given_q.push_back(e.given_q), rounded_q.push_back(e.rounded_q);
    }
    INFO(row.kernel << " q " << row.q << " kv " << row.kv << " tokens " << row.tokens << " splits " << row.splits);
    furthest = std::max(furthest, distance(given_q, row.relative_l2));
    ++compared;
    if (row.with_q != "-") furthest = std::max(furthest, distance(rounded_q, std::stod(row.with_q)));
  }
  REQUIRE(compared > 0);
  fmt::print("{} rows, furthest from the measured value: {:.1f} %\n", compared, 100 * furthest);
}

}  // namespace

TEST_CASE("short rows have the error that was measured on a GPU") {
  compare(0, 1, 257);
}
TEST_CASE("all rows have the error that was measured on a GPU: first half", "[nightly][first]") {
  compare(0, 2, 16384);
}
TEST_CASE("all rows have the error that was measured on a GPU: second half", "[nightly][second]") {
  compare(1, 2, 16384);
}
