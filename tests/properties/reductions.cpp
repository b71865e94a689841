#include "properties/reductions.hpp"

#include <algorithm>
#include <string>

#include "properties/generate.hpp"
#include "reference/case_line.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::reference;

TEST_CASE("every reduction is another, consistent and smaller case") {
  const Profile profile = full_profile();
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Case c = draw_case(3, i, profile);
    INFO(print_case(c));
    const auto steps = reductions(c);
    REQUIRE_FALSE(steps.empty());
    for (const Reduction& step : steps) {
      INFO(step.rule << ": " << print_case(step.simpler));
      CHECK(step.simpler != c);
      CHECK_NOTHROW(validate(step.simpler));
      CHECK(settled(step.simpler) == step.simpler);
      CHECK(size_of(step.simpler) < size_of(c));
    }
  }
}

TEST_CASE("from any case, reductions lead to one smallest case") {
  const Profile profile = full_profile();
  for (std::uint64_t i = 0; i < 100; ++i) {
    Case c = draw_case(4, i, profile);
    for (auto steps = reductions(c); !steps.empty(); steps = reductions(c)) c = steps.front().simpler;
    // One head of 16 channels, one empty contiguous request, small integers, everything else by default.
    CHECK(print_case(c) == "xqa/1 heads=1/1 dim=16 len=0 page=0 tail=zero data=ints");
  }
}

TEST_CASE("every feature has a reduction that removes it") {
  struct Removal {
    const char* line;
    std::string rule;
  };
  const Removal removals[] = {
      {"xqa/1 len=64 window=7", "no window"},
      {"xqa/1 len=64 sinks=2", "no sinks"},
      {"xqa/1 len=64 draft=4", "plain decode"},
      {"xqa/1 len=64 draft=4 tree=0,1,1,2", "causal mask"},
      {"xqa/1 len=64 beam=4", "fewer beams"},
      {"xqa/1 len=64 rope=gptj", "no RoPE"},
      {"xqa/1 len=64 skip=10", "no skipping"},
      {"xqa/1 len=64 kv=e4m3", "16-bit cache"},
      {"xqa/1 len=64 layout=hnd", "layout by default"},
      {"xqa/1 len=64 table=reversed", "identity table"},
      {"xqa/1 len=64 lse=1", "no LSE"},
      {"xqa/1 len=64 inject=nan@v:0:5", "no injection"},
      {"xqa/1 len=64 cap=100", "capacity by default"},
      {"xqa/1 len=64 pad=8/8/8", "no padding"},
      {"xqa/1 len=64 seed=5", "seed 0"},
      {"xqa/1 len=64 qscale=0.5", "q scale 1"},
      {"xqa/1 len=64,64", "keep some requests"},
  };
  for (const Removal& removal : removals) {
    INFO(removal.line << " by " << removal.rule);
    const auto steps = reductions(parse_case(removal.line));
    CHECK(std::any_of(steps.begin(), steps.end(), [&](const Reduction& step) { return step.rule == removal.rule; }));
  }
}
