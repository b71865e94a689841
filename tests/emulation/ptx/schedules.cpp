// Schedules: names, determinism, and what each is for, on a simulated set of warps.
#include "emulation/ptx/schedule/schedule.hpp"

#include <algorithm>
#include <set>

#include "tests/catch.hpp"

namespace {

using namespace xqacheck::ptx;

// Two grids of `ctas` CTAs with four warps that each run for 50 instructions; returns the order of turns as text.
std::string simulate(const ScheduleSpec& spec, std::uint32_t ctas) {
  const auto schedule = make_schedule(spec);
  std::string trace;
  std::vector<std::uint32_t> order = schedule->cta_order(1, ctas);
  std::vector<std::uint32_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < ctas; ++i) CHECK(sorted[i] == i);
  std::vector<std::uint32_t> left(ctas * 4, 50);
  for (int step = 0; step < 10000; ++step) {
    std::vector<Runnable> runnable;
    for (std::uint32_t cta : order)
      for (std::uint32_t warp = 0; warp < 4; ++warp)
        if (left[cta * 4 + warp] != 0) runnable.push_back({1, cta, warp, false});
    if (runnable.empty()) return trace;
    const Turn turn = schedule->next(runnable);
    REQUIRE(turn.index < runnable.size());
    REQUIRE(turn.instructions > 0);
    const Runnable& chosen = runnable[turn.index];
    std::uint32_t& rest = left[chosen.cta * 4 + chosen.warp];
    rest -= std::min(rest, turn.instructions);
    trace += std::to_string(chosen.cta) + "." + std::to_string(chosen.warp) + " ";
    if (rest < 25) schedule->after_atomic(1, chosen.cta, chosen.warp);
  }
  FAIL("a schedule does not let all warps finish");
  return trace;
}

TEST_CASE("schedules are deterministic and finish") {
  std::set<std::string> traces;
  for (const ScheduleSpec& spec : standard_schedules(50)) {
    const std::string trace = simulate(spec, 3);
    CHECK(trace == simulate(spec, 3));
    traces.insert(trace);
  }
  CHECK(traces.size() >= 20);  // adversaries have few seeds that differ on three CTAs; random ones all do
}

TEST_CASE("names of schedules") {
  std::set<std::string> texts;
  for (const ScheduleSpec& spec : standard_schedules(50)) {
    CHECK(texts.insert(to_text(spec)).second);
    ScheduleSpec again;
    std::string why;
    REQUIRE(parse_schedule(to_text(spec), again, why));
    CHECK(again.kind == spec.kind);
    CHECK(again.seed == spec.seed);
  }
  ScheduleSpec spec;
  std::string why;
  CHECK_FALSE(parse_schedule("randm:3", spec, why));
  CHECK(why ==
        "schedule 'randm:3': no such name; there are in_order, round_robin, random, starve_warp, delay_cta, last_cta, "
        "late_producer, stray_copies");
  CHECK_FALSE(parse_schedule("random:", spec, why));
  CHECK_FALSE(parse_schedule("random:3x", spec, why));
  CHECK(why == "schedule 'random:3x': the seed after ':' must be a number below 2^64");
}

TEST_CASE("adversaries do what they are for") {
  const std::string starved = simulate({ScheduleKind::starve_warp, 0}, 1);
  CHECK(starved.find("0.0") > starved.rfind("0.1"));  // warp 0 last
  const std::string delayed = simulate({ScheduleKind::delay_cta, 1}, 3);
  CHECK(delayed.rfind("1.") > delayed.rfind("0."));
  CHECK(delayed.rfind("1.") > delayed.rfind("2."));
}

TEST_CASE("polling warps come when nobody else can run, all of them") {
  for (const ScheduleSpec& spec : standard_schedules(20)) {
    const auto schedule = make_schedule(spec);
    schedule->cta_order(1, 2);
    std::vector<Runnable> runnable{{1, 0, 0, true}, {1, 0, 1, true}, {1, 1, 0, true}};
    std::set<std::size_t> seen;
    for (int i = 0; i < 200; ++i) seen.insert(schedule->next(runnable).index);
    CHECK(seen.size() == 3);
  }
}

}  // namespace
