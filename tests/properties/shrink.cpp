#include "properties/shrink.hpp"

#include <algorithm>
#include <functional>

#include "properties/generate.hpp"
#include "properties/reductions.hpp"
#include "reference/case_line.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::reference;

namespace {

using Fault = std::function<bool(const Case&)>;

StillFails as_check(const Fault& fault) {
  return [fault](const std::vector<Case>& cases) {
    std::vector<bool> fails;
    for (const Case& c : cases) fails.push_back(fault(c));
    return fails;
  };
}

bool longer_than(const Case& c, std::uint32_t limit) {
  return std::any_of(c.lens.begin(), c.lens.end(), [&](auto n) { return n > limit; });
}

struct Planted {
  const char* name;
  Fault fails;
  std::string smallest;  // the case line with every dimension at its minimum for this fault
};

const Planted kPlanted[] = {
    {"always", [](const Case&) { return true; }, "xqa/1 heads=1/1 dim=16 len=0 page=0 tail=zero data=ints"},
    {"more than 64 tokens", [](const Case& c) { return longer_than(c, 64); },
     "xqa/1 heads=1/1 dim=16 len=65 page=0 tail=zero data=ints"},
    {"group above 8", [](const Case& c) { return c.group() > 8; },
     "xqa/1 heads=9/1 dim=16 len=0 page=0 tail=zero data=ints"},
    {"a length past a whole page",
     [](const Case& c) {
       return c.page > 0 &&
              std::any_of(c.lens.begin(), c.lens.end(), [&](auto n) { return n > c.page && n % c.page == 1; });
     },  // one spare page is left, as unused entries point to it
     "xqa/1 heads=1/1 dim=16 len=9 page=8 table=identity spare=1 tail=zero data=ints"},
    {"window shorter than the length", [](const Case& c) { return c.window > 0 && longer_than(c, c.window); },
     "xqa/1 heads=1/1 dim=16 len=2 page=0 tail=zero window=1 data=ints"},
    {"second request", [](const Case& c) { return c.requests() > 1 && c.lens[1] > 0; },
     "xqa/1 heads=1/1 dim=16 len=0,1 page=0 tail=zero data=ints"},
    {"e4m3 cache", [](const Case& c) { return c.kv == Dtype::e4m3 && longer_than(c, 0); },
     "xqa/1 heads=1/1 dim=16 len=1 page=0 kv=e4m3 tail=zero data=ints"},
};

// The first random case that shows the fault, so that the shrinker starts from something large.
Case first_failing(const Planted& planted) {
  const Profile profile = full_profile();
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const Case c = draw_case(11, i, profile);
    if (planted.fails(c) && c.requests() > 1) return c;
  }
  FAIL("no random case shows the fault " << planted.name);
  return {};
}

}  // namespace

TEST_CASE("a planted fault shrinks to the case with every dimension at its minimum") {
  for (const Planted& planted : kPlanted) {
    INFO(planted.name);
    const Shrunk shrunk = shrink(first_failing(planted), as_check(planted.fails));
    CHECK(print_case(shrunk.smallest) == planted.smallest);
    CHECK(shrunk.local_minimum);
  }
}

TEST_CASE("the result is a local minimum and the same for any number of jobs") {
  for (const Planted& planted : kPlanted) {
    INFO(planted.name);
    const Case start = first_failing(planted);
    const Shrunk one = shrink(start, as_check(planted.fails));
    for (const std::uint32_t jobs : {2u, 3u, 16u}) {
      const Shrunk many = shrink(start, as_check(planted.fails), {.batch = jobs});
      CHECK(many.smallest == one.smallest);
      CHECK(many.tried == one.tried);
      CHECK(many.accepted == one.accepted);
    }
    for (const Reduction& step : reductions(one.smallest)) CHECK_FALSE(planted.fails(step.simpler));
  }
}

TEST_CASE("a case that is minimal stays as it is") {
  const Case start = parse_case("xqa/1 heads=3/1 len=77 window=5 seed=9");
  const Shrunk shrunk = shrink(start, as_check([&](const Case& c) { return c == start; }));
  CHECK(shrunk.smallest == start);
  CHECK(shrunk.accepted == 0);
  CHECK(shrunk.local_minimum);
}

TEST_CASE("effort is bounded, and a result that was cut short says so") {
  const Planted& planted = kPlanted[1];
  std::uint32_t calls = 0;
  const Shrunk shrunk = shrink(first_failing(planted), as_check([&](const Case& c) {
                                 ++calls;
                                 return planted.fails(c);
                               }),
                               {.max_tried = 10});
  CHECK(calls == 10);
  CHECK(shrunk.tried == 10);
  CHECK_FALSE(shrunk.local_minimum);
  CHECK(planted.fails(shrunk.smallest));
  const Shrunk timed = shrink(first_failing(planted), as_check(planted.fails), {.max_seconds = -1});
  CHECK(timed.out_of_time);
  CHECK_FALSE(timed.local_minimum);
}
