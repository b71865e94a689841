// The runners agree with each other; caches that a kernel appends to, far pools, and several runners side by side.
#include <sys/resource.h>

#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>

#include "kernels/registry.hpp"
#include "properties/isolation/in_process_runner.hpp"
#include "properties/isolation/process_runner.hpp"
#include "properties/isolation/runner_pool.hpp"
#include "reference/case_line.hpp"
#include "reference/formats.hpp"
#include "reference/slow/rope.hpp"
#include "tests/catch.hpp"
#include "tests/properties/isolation/process_census.hpp"

using namespace xqacheck;
using namespace xqacheck::properties;

namespace {

reference::Problem problem_of(const std::string& line) {
  return reference::make_problem(reference::parse_case(line));
}

const char* const kLines[] = {
    "xqa/1 heads=8/2 dim=64 len=100,1,0,33 page=16 sinks=1 lse=1",
    "xqa/1 heads=4/4 dim=32 len=77 page=0 kv=e4m3 out=e4m3 window=20",
    "xqa/1 heads=6/2 dim=48 len=40,50 page=8 layout=pool kv=int8 draft=3,2",
    "xqa/1 heads=2/1 dim=16 len=30 page=8 beam=3/10",
    "xqa/1 heads=4/2 dim=32 len=21,9 page=8 rope=neox bias=1",
    "xqa/1 heads=4/2 dim=32 len=21,9 page=8 layout=pool rope=gptj kv=e4m3",
};

}  // namespace

TEST_CASE("a worker and this process give the same bits") {
  const xqacheck_kernel* kernel = kernels::find_builtin_kernel("flash32");
  REQUIRE(kernel != nullptr);
  ProcessRunner worker("flash32");
  InProcessRunner local(*kernel);
  int answered = 0;
  for (const char* line : kLines)
    for (const Placement place : {Placement::plain, Placement::end, Placement::begin}) {
      INFO(line);
      const reference::Problem problem = problem_of(line);
      RunOptions options;
      options.place = place;
      options.output = Fill::random;
      options.fill_seed = 9;
      const Outcome a = worker.run(problem, options), b = local.run(problem, options);
      INFO(a.why);
      REQUIRE(a.status == b.status);
      CHECK(a.why == b.why);
      if (a.status != RunStatus::ok) continue;
      ++answered;
      CHECK(a.out == b.out);
      CHECK(a.lse == b.lse);
      CHECK(a.k_appended == b.k_appended);
      CHECK(a.v_appended == b.v_appended);
      CHECK(a.damage.empty());
      CHECK(b.damage.empty());
      CHECK(a.route.splits == b.route.splits);
    }
  CHECK(answered >= 15);
}

TEST_CASE("appended rows are what the second golden model says the cache must hold") {
  ProcessRunner worker("flash32");
  const reference::Problem problem = problem_of("xqa/1 heads=4/2 dim=32 len=21,9 page=8 rope=neox bias=1");
  const Outcome outcome = worker.run(problem, {});
  REQUIRE(outcome.status == RunStatus::ok);
  const std::uint32_t rows = problem.description.total_rows, heads = problem.description.kv_heads;
  REQUIRE(outcome.k_appended.size() == rows * heads * 32 * 2);
  std::byte nowhere{};
  const xqacheck_problem view = problem.view(&nowhere, &nowhere);
  for (std::uint32_t row = 0; row < rows; ++row)
    for (std::uint32_t head = 0; head < heads; ++head) {
      const auto expected = reference::slow::appended_key(view, reference::slow::row_at(view, row, 0, 0), head);
      for (std::uint32_t d = 0; d < 32; ++d) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, outcome.k_appended.data() + ((row * heads + head) * 32 + d) * 2, 2);
        std::uint32_t wide = std::uint32_t{bits} << 16;  // bf16
        float stored = 0;
        std::memcpy(&stored, &wide, 4);
        // Both round one rotated value to bf16; fp32 against long double may differ by one step of 2^-8 where it lies
        // near a tie.
        CHECK(std::abs(stored - static_cast<double>(expected[d])) <= std::abs(static_cast<double>(expected[d])) / 128);
      }
    }
}

TEST_CASE("a cache byte changed outside of the appended rows is damage") {
  ProcessRunner worker(XQACHECK_TEST_PLUGINS "/unruly.so:spoil-cache");
  // Contiguous and with room behind the tokens: neither the first nor the last bytes are those of a new token.
  const reference::Problem apart = problem_of("xqa/1 heads=2/1 dim=16 len=9,9 page=0 cap=16 rope=neox");
  const Outcome outcome = worker.run(apart, {});
  REQUIRE(outcome.status == RunStatus::ok);
  REQUIRE(outcome.damage.size() == 2);
  CHECK(outcome.damage[0].buffer == "input k");
  CHECK(outcome.damage[0].offset == 3);
  CHECK(outcome.damage[0].bytes == 1);
  CHECK(outcome.damage[1].buffer == "input v");
  CHECK(outcome.damage[1].offset == static_cast<std::int64_t>(apart.tensor(reference::TensorId::v).size()) - 1);
}

TEST_CASE("a pool of gigabytes with few used pages costs little time and memory") {
  ProcessRunner worker("flash32");
  const reference::Problem problem = problem_of("xqa/1 heads=2/1 dim=64 len=100,60 page=16 table=far");
  REQUIRE(problem.tensor(reference::TensorId::k).size() > (std::size_t{1} << 31));
  for (const Placement place : {Placement::plain, Placement::end}) {
    RunOptions options;
    options.place = place;
    const std::clock_t begin = std::clock();
    const Outcome outcome = worker.run(problem, options);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;  // of the processor
    INFO(outcome.why);
    CHECK(outcome.status == RunStatus::ok);
    CHECK(outcome.damage.empty());
    CHECK(seconds < 1);  // a dense copy of 4 GiB takes several
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  CHECK(usage.ru_maxrss < 2 << 20);  // KiB
  // The next small case is not disturbed by what was there.
  CHECK(worker.run(problem_of(kLines[0]), {}).status == RunStatus::ok);
}

TEST_CASE("a pool of runners gives every item once, each to its own runner") {
  const tests::ProcessCensus census;
  {
    RunnerPool pool(3, [] { return std::make_unique<ProcessRunner>(XQACHECK_TEST_PLUGINS "/good.so:copy"); });
    const reference::Problem problem = problem_of("xqa/1 heads=2/1 dim=16 len=5 page=8");
    std::vector<const Runner*> who(40, nullptr);
    std::vector<RunStatus> status(40, RunStatus::error);
    pool.for_each(40, [&](std::size_t item, Runner& runner) {
      who[item] = &runner;
      status[item] = runner.run(problem, {}).status;
    });
    for (std::size_t i = 0; i < 40; ++i) {
      CHECK(who[i] == &pool.runner(i % 3));
      CHECK(status[i] == RunStatus::ok);
    }
    CHECK(census.others() == 6);  // three supervisors and their workers
    CHECK_THROWS_WITH(pool.for_each(40,
                                    [](std::size_t item, Runner&) {
                                      if (item >= 7) throw std::runtime_error(std::to_string(item));
                                    }),
                      "7");
  }
  CHECK(census.others(20) == 0);
}

TEST_CASE("only kernels on host memory run in this process") {
  xqacheck_kernel kernel = *kernels::find_builtin_kernel("flash32");
  kernel.describe = [] {
    static xqacheck_description device = *kernels::find_builtin_kernel("flash32")->describe();
    device.memory = XQACHECK_CUDA;
    return static_cast<const xqacheck_description*>(&device);
  };
  CHECK_THROWS_WITH(InProcessRunner(kernel), "flash32 does not run on host memory; use a worker process");
}
