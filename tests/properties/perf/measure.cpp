// perf on a device whose times are known: medians, warm-up, rotation, turns, the copy.
#include "properties/perf/measure.hpp"

#include <set>

#include "reference/case_line.hpp"
#include "tests/catch.hpp"
#include "tests/properties/perf/fake_kernels.hpp"

using namespace xqacheck;
using namespace xqacheck::properties;
using namespace xqacheck::tests;

namespace {

struct Bench {
  FakeDevice device;
  reference::Problem problem = reference::make_problem(reference::parse_case("xqa/1 heads=8/1 dim=64 len=1024"));
  perf::MeasureOptions options;
  Bench() {
    set_active_device(&device);
    First::refuse = First::prepare_error = "", First::run_status = XQACHECK_OK;
    options.warm_up_milliseconds = 1, options.samples = 9, options.launches = 4;
  }
  ~Bench() { set_active_device(nullptr); }
  perf::CaseTiming measure(const std::vector<const xqacheck_kernel*>& kernels = {First::table()}) {
    return perf::measure(device, problem, kernels, options);
  }
};

}  // namespace

TEST_CASE("the median is that of one launch, whatever the slow first ones and a few outliers took", "[perf]") {
  Bench bench;
  bench.device.cost = [](const FakeLaunch&, std::size_t n) { return n < 40 ? 500.0 : n % 97 == 0 ? 80.0 : 12.5; };
  bench.options.warm_up_milliseconds = 20;  // 40 launches of half a millisecond
  const auto timing = bench.measure();
  REQUIRE(timing.kernels.size() == 1);
  CHECK(timing.kernels[0].microseconds.median == Approx(12.5));
  CHECK(timing.kernels[0].microseconds.first == Approx(12.5));
  CHECK(timing.kernels[0].microseconds.count == 9);
  CHECK(timing.kernels[0].splits == 3);
  CHECK(timing.kernels[0].version == "7");
  CHECK(First::instances == 0);
}

TEST_CASE("every launch works on another copy than the one before, and all copies are larger than the cache", "[perf]") {
  for (const bool in_graph : {true, false}) {
    Bench bench;
    bench.options.in_graph = in_graph;
    const auto timing = bench.measure();
    // K and V of 1024 tokens, 64 channels, 2 bytes: 256 KiB, so four times the cache of 1 MiB needs 16 copies or so.
    CHECK(timing.copies.beyond_cache);
    CHECK(timing.copies.bytes >= 4 * bench.device.l2);
    CHECK((timing.copies.count >= 15 && timing.copies.count <= 16));
    std::set<Address> seen;
    for (std::size_t i = 0; i < bench.device.launches.size(); ++i) {
      seen.insert(bench.device.launches[i].k);
      if (i > 0) REQUIRE(bench.device.launches[i].k != bench.device.launches[i - 1].k);
    }
    CHECK(seen.size() == timing.copies.count);
    CHECK(timing.kernels[0].launches % timing.copies.count == 0);
    CHECK((bench.device.replays > 0) == in_graph);
  }
}

TEST_CASE("copies hold the same inputs at other addresses", "[perf]") {
  Bench bench;
  std::size_t different = 0;
  bench.device.cost = [&](const FakeLaunch& launch, std::size_t) {
    const auto& k = bench.problem.tensor(reference::TensorId::k);
    different += std::memcmp(FakeDevice::pointer(launch.k), k.data(), k.size()) != 0;
    return 1.0;
  };
  bench.measure();
  CHECK(different == 0);
}

TEST_CASE("two kernels take turns sample by sample", "[perf]") {
  Bench bench;
  bench.device.cost = [](const FakeLaunch& launch, std::size_t) { return launch.function == "first" ? 20.0 : 16.0; };
  const auto timing = bench.measure({First::table(), Second::table()});
  REQUIRE(timing.kernels.size() == 2);
  CHECK(timing.kernels[0].microseconds.median == Approx(20));
  CHECK(timing.kernels[1].microseconds.median == Approx(16));
  CHECK_FALSE(perf::boxes_overlap(timing.kernels[0].microseconds, timing.kernels[1].microseconds));
  // The last 2 * 9 samples alternate.
  const std::size_t each = timing.kernels[0].launches, total = bench.device.launches.size();
  for (std::size_t sample = 0; sample < 18; ++sample) {
    const FakeLaunch& launch = bench.device.launches[total - (18 - sample) * each];
    REQUIRE(launch.function == (sample % 2 == 0 ? "first" : "second"));
  }
}

TEST_CASE("a refused case is reported with the reason, beside the kernel that takes it", "[perf]") {
  Bench bench;
  First::refuse = "head_dim=64: multiples of 128";
  const auto timing = bench.measure({First::table(), Second::table()});
  CHECK(timing.kernels[0].refused == "head_dim=64: multiples of 128");
  CHECK(timing.kernels[0].microseconds.count == 0);
  CHECK(timing.kernels[1].refused.empty());
  CHECK(timing.kernels[1].microseconds.median == Approx(10));
}

TEST_CASE("errors of a kernel name it and the step; nothing stays prepared", "[perf]") {
  Bench bench;
  First::prepare_error = "no such instruction";
  CHECK_THROWS_WITH(bench.measure(), Catch::Contains("kernel first: prepare()") && Catch::Contains("no such instruction"));
  First::prepare_error = "";
  First::run_status = XQACHECK_ERROR;
  CHECK_THROWS_WITH(bench.measure(), Catch::Contains("kernel first: run() reports an error"));
  First::run_status = XQACHECK_OK;
  bench.device.capture_fails = true;
  CHECK_THROWS_AS(bench.measure(), DeviceError);
  CHECK(First::instances == 0);
}

TEST_CASE("the split count of a run line reaches the kernel", "[perf]") {
  Bench bench;
  bench.options.forced_splits = 5;
  CHECK(bench.measure().kernels[0].splits == 5);
}

TEST_CASE("the copy counts bytes read and written", "[perf]") {
  Bench bench;
  const auto speed = perf::measure_copy(bench.device, bench.options);
  CHECK(speed.bytes >= 4 * bench.device.l2);
  CHECK(speed.bytes_per_second() == Approx(2000e6));
  CHECK(speed.microseconds.count == 9);
}

TEST_CASE("how many copies: by cache, memory and the limit, and the report says when they fit into the cache", "[perf]") {
  kernels::launch::DeviceInfo device;
  device.l2_bytes = 50 << 20, device.memory_bytes = std::uint64_t{100} << 30;
  perf::MeasureOptions options;
  CHECK(perf::plan_copies(10 << 20, device, options).count == 20);
  CHECK(perf::plan_copies(std::uint64_t{1} << 30, device, options).count == 2);
  CHECK(perf::plan_copies(std::uint64_t{20} << 30, device, options).count == 1);  // a quarter of the memory holds no second
  const auto tiny = perf::plan_copies(10'000, device, options);
  CHECK(tiny.count == 256);
  CHECK_FALSE(tiny.beyond_cache);
  options.rotation_bytes = 60 << 20;
  CHECK(perf::plan_copies(10 << 20, device, options).count == 6);
  device.l2_bytes = 0;  // unknown: no smaller than any so far
  options.rotation_bytes = 0;
  CHECK(perf::plan_copies(10 << 20, device, options).count == 26);
}
