// Budgets of tensors from a file: the sampling units are (request, KV head), and the committed file is what its generator
// makes.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "properties/budget/check.hpp"
#include "tests/catch.hpp"
#include "tests/properties/budget/planted.hpp"
#include "tests/properties/budget/tensor_file.hpp"

using namespace xqacheck;
using namespace xqacheck::properties::budget;

namespace {

std::string path_of_file() {
  const char* root = std::getenv("XQACHECK_SOURCE_DIR");
  REQUIRE(root != nullptr);
  return std::string(root) + "/" + tests::kTensorFile;
}

std::vector<std::byte> committed() {
  std::ifstream in(path_of_file(), std::ios::binary);
  std::vector<std::byte> bytes;
  std::transform(std::istreambuf_iterator<char>(in), {}, std::back_inserter(bytes), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

reference::RunLine configuration() {
  const std::vector<std::byte> bytes = committed();
  return reference::parse_run_line(fmt::format("{} file={}#{:016x}", tests::kTensorCase, path_of_file(),
                                               XXH64(bytes.data(), bytes.size(), 0)));
}

}  // namespace

TEST_CASE("the committed tensor file is what its generator makes") { CHECK((committed() == tests::decoder_layer_file())); }

// Writes the file anew after a change of the generator: test_properties_budget '[generate]'.
TEST_CASE("write the tensor file", "[.][generate]") {
  const std::vector<std::byte> bytes = tests::decoder_layer_file();
  std::ofstream(path_of_file(), std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

TEST_CASE("tensors from a file have one sample a request and KV head") {
  properties::Runners runners = tests::planted_runners(tests::of_recipe(""), true);
  const SampleSet set = take_samples(configuration(), runners, 1, 100);
  REQUIRE(set.samples.size() == 16);
  for (const Sample& sample : set.samples) {
    CHECK(sample.measured.elements == 2 * 64);
    CHECK(sample.measured.values[Metric::rel_l2] > 0.005);
    CHECK(sample.measured.values[Metric::rel_l2] < 0.5);
  }
  const ConfigurationBudget budget = budget_of(configuration(), 1, set);
  const ConfigurationFinding same = judge(budget, set, 1);
  CHECK(same.verdict.status == properties::Status::passed);
  CHECK(same.paired);
  properties::Runners wrong = tests::planted_runners(tests::with_output_scale(1.05f), true);
  const ConfigurationFinding finding = judge(budget, take_samples(configuration(), wrong, 1, 100), 1);
  CHECK(finding.verdict.status == properties::Status::failed);
}

// The sum over units of squared errors is that of the whole call, measured by a case whose every line counts.
TEST_CASE("units are parts of the whole") {
  properties::Runners runners = tests::planted_runners(tests::of_recipe(""));
  const reference::RunLine run = reference::parse_run_line("xqa/1 heads=8/4 dim=64 len=64,48 kv=e4m3");
  reference::Case c = run.subject;
  c.seed = 3;
  const reference::Problem problem = reference::make_problem(c);
  const RealCache cache(problem);
  Observation o = make_observation(problem, cache, runners.front()->description().numerics, 1);
  o.got = output_values(o.view, runners.front()->run(problem, {}));
  double error = 0, square = 0;
  for (const Lines& unit : lines_by_unit(o)) {
    const double part = measure(o, unit, {}).values[Metric::nmse];
    double size = 0;
    for (std::size_t i = 0; i < o.real.out.size(); ++i)
      if (unit[i / o.dim()] != 0) size += o.real.out[i] * o.real.out[i];
    error += part * size, square += size;
  }
  CHECK(measure(o, all_lines(o), {}).values[Metric::nmse] == Approx(error / square).epsilon(1e-9));
}
