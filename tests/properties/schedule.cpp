#include "properties/schedule.hpp"

#include <algorithm>
#include <map>

#include "properties/timed_campaign.hpp"
#include "reference/case_line.hpp"
#include "tests/catch.hpp"
#include "tests/properties/fake_runner.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;
using Catch::Matchers::Contains;

namespace {

std::vector<const Property*> all() {
  const auto properties = all_properties();
  return {properties.begin(), properties.end()};
}

CampaignPlan plan_of(std::vector<const Property*> properties, std::size_t cases) {
  CampaignPlan plan;
  for (std::size_t i = 0; i < cases; ++i) plan.numbers.push_back(i);
  plan.properties = std::move(properties);
  plan.case_number = [](std::uint64_t number) {
    xqacheck::reference::RunLine run;
    run.subject =
        xqacheck::reference::parse_case("xqa/1 heads=2/1 dim=16 len=20,7 page=8 seed=" + std::to_string(number));
    return run;
  };
  return plan;
}

}  // namespace

TEST_CASE("power: every property has an entry, and one more case is worth less and less") {
  CHECK(power_table().size() == all_properties().size());
  for (const Property* property : all_properties()) {
    INFO(property->id);
    const Power& power = power_of(property->id);
    CHECK(power.property == std::string(property->id));
    CHECK(power.seconds > 0);
    CHECK(gain(power, 0) > gain(power, 1));
    CHECK(gain(power, 1) > gain(power, 50));
    CHECK(gain(power, 50) >= 0);
  }
  // A fault that took 100 cases is worth more late than one that took two.
  CHECK(gain({"", {2}, 1, true}, 0) > gain({"", {100}, 1, true}, 0));
  CHECK(gain({"", {2}, 1, true}, 30) < gain({"", {100}, 1, true}, 30));
}

TEST_CASE("schedule: hands out every pair once, cheap power first") {
  Schedule schedule(all(), 5);
  std::map<std::pair<std::size_t, std::size_t>, int> seen;
  std::vector<std::string> order;
  while (const auto item = schedule.next()) {
    ++seen[{item->property, item->position}];
    order.emplace_back(all()[item->property]->id);
    schedule.done(*item, 0.01, false);
  }
  CHECK(seen.size() == all().size() * 5);
  CHECK(std::all_of(seen.begin(), seen.end(), [](const auto& each) { return each.second == 1; }));
  // golden has most faults to its name, at a low price.
  CHECK(order.front() == "golden");
  CHECK(not_reached(schedule.reached()).empty());
}

TEST_CASE("schedule: what is dear or has nothing to say comes later") {
  const std::vector<const Property*> two = {property_named("golden"), property_named("plan")};
  Schedule even(two, 1000), costly(two, 1000), silent(two, 1000);
  int golden_of_even = 0, golden_of_costly = 0, golden_of_silent = 0;
  for (int i = 0; i < 40; ++i) {
    const auto a = even.next(), b = costly.next(), c = silent.next();
    golden_of_even += a->property == 0, golden_of_costly += b->property == 0, golden_of_silent += c->property == 0;
    even.done(*a, 0.01, false);
    costly.done(*b, b->property == 0 ? 10 : 0.001, false);
    silent.done(*c, 0.01, c->property == 0);
  }
  CHECK(golden_of_even > 20);  // more faults to its name, and some that need many cases
  CHECK(golden_of_costly < golden_of_even / 2);
  CHECK(golden_of_silent < golden_of_even);
  CHECK_THAT(not_reached(costly.reached()), Contains("golden " + std::to_string(golden_of_costly) + " of 1000 cases, plan "));
}

TEST_CASE("timed campaign: everything when there is time, and what was not reached when there is not") {
  const CampaignPlan plan = plan_of({property_named("golden"), property_named("rerun"), property_named("bits")}, 4);
  Runners runners;
  for (int i = 0; i < 2; ++i) runners.push_back(std::make_unique<FakeRunner>());
  std::map<std::string, int> verdicts;
  const auto count = [&](const CaseResult& result) {
    REQUIRE(result.verdicts.size() == 1);
    ++verdicts[result.verdicts[0].property];
  };
  CHECK(not_reached(run_timed_campaign(plan, 600, runners, count)).empty());
  CHECK(verdicts == std::map<std::string, int>{{"golden", 4}, {"rerun", 4}, {"bits", 4}});
  verdicts.clear();
  const auto reached =
      run_timed_campaign(plan_of({property_named("golden"), property_named("rerun")}, 1'000'000), 0.05, runners, count);
  const std::string missed = not_reached(reached);
  CHECK_THAT(missed, Contains("golden ") && Contains(" of 1000000 cases") && Contains("rerun "));
  CHECK(verdicts["golden"] > 0);
  CHECK(static_cast<std::uint64_t>(verdicts["golden"]) == reached[0].judged);
}

TEST_CASE("timed campaign: a failure is a result like any other") {
  Runners runners;
  runners.push_back(std::make_unique<FakeRunner>([](const xqacheck_problem& p, const RunOptions&, Outcome& outcome) {
    FakeRunner::store(p, outcome, 0, 0, 0, 9.0);
  }));
  int failures = 0;
  run_timed_campaign(plan_of({property_named("golden")}, 3), 600, runners,
                     [&](const CaseResult& result) { failures += is_failure(result.verdicts[0].status); });
  CHECK(failures == 3);
}
