// What poison and edges find besides unused inputs and single edges: old contents, beam indices, masked rows, scores
// that a finite stand-in for -inf cannot hold.
#include "properties/property.hpp"
#include "reference/case_line.hpp"
#include "tests/catch.hpp"
#include "tests/properties/fake_runner.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;
using Catch::Matchers::Contains;

namespace {

Verdict judge(const char* property, FakeRunner& runner, const std::string& line) {
  Trial trial(xqacheck::reference::parse_run_line(line), runner);
  return judge_property(*property_named(property), trial);
}

// One output element is wrong where `when` holds.
FakeRunner::Spoil wrong_where(std::function<bool(const xqacheck_problem&, const RunOptions&)> when) {
  return [=](const xqacheck_problem& p, const RunOptions& options, Outcome& outcome) {
    if (when(p, options)) FakeRunner::store(p, outcome, 0, 0, 2, 0.5);
  };
}

}  // namespace

TEST_CASE("poison finds what shows the old output or the old workspace") {
  for (const bool output : {true, false}) {
    FakeRunner runner(wrong_where(
        [=](auto&, const RunOptions& options) { return (output ? options.output : options.scratch) == Fill::huge; }));
    CHECK_THAT(judge("poison", runner, "xqa/1 heads=1/1 dim=16 len=5").message,
               Contains("with the largest finite numbers in the output and the workspace before the run"));
  }
}

TEST_CASE("poison finds the beam index of a token that does not exist, and of a shared one") {
  for (const std::uint32_t token : {0u, 9u}) {  // the first is shared, the length is 9
    FakeRunner runner(wrong_where([=](const xqacheck_problem& p, auto&) {
      const std::int32_t beam = static_cast<const std::int32_t*>(p.beam_index.data)[token];
      return beam < 0 || beam >= static_cast<std::int32_t>(p.beam_width);
    }));
    const Verdict verdict = judge("poison", runner, "xqa/1 heads=1/1 dim=16 len=9,12 page=8 beam=2/4");
    CHECK(verdict.status == Status::failed);
    CHECK_THAT(verdict.message, Contains("beam indices"));
  }
}

TEST_CASE("edges tries a row that sees nothing, and a lone token with an extreme score") {
  FakeRunner masked(wrong_where([](const xqacheck_problem& p, auto&) { return p.mask_kind == XQACHECK_MASK_TREE; }));
  CHECK_THAT(judge("edges", masked, "xqa/1 heads=1/1 dim=16 len=5,7").message, Contains("with a fully masked row"));
  const std::string line = "xqa/1 heads=1/1 dim=16 len=5,7 seed=1";
  const auto lone = wrong_where(
      [](const xqacheck_problem& p, auto&) { return *static_cast<const std::uint32_t*>(p.seq_lens.data) == 1; });
  FakeRunner extreme(lone);
  CHECK_THAT(judge("edges", extreme, line).message, Contains("with a single token whose score is some ten thousands"));
  FakeRunner limited(lone);
  limited.description_.domain.min_row_max = -10000;
  CHECK(judge("edges", limited, line).status == Status::passed);
}
