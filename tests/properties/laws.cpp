// Every property: a correct kernel passes, and a kernel with the fault that it is for fails.
#include "properties/property.hpp"

#include <limits>

#include "reference/case_line.hpp"
#include "tests/catch.hpp"
#include "tests/properties/fake_runner.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;
using Catch::Matchers::Contains;
using xqacheck::reference::parse_run_line;

namespace {

// Three requests, unused pages, a tail in every last page, gaps everywhere.
const std::string kBatch = "xqa/1 heads=4/2 dim=16 len=21,9,5 cap=40 page=8 pad=8/8/8 qpad=8/8 lse=1 seed=3";

Verdict judge(const char* property, FakeRunner& runner, const std::string& line = kBatch) {
  Trial trial(parse_run_line(line), runner);
  return judge_property(*property_named(property), trial);
}

// What a host kernel without a recipe can be judged by: the others need a recipe or a GPU.
std::vector<const Property*> host_laws() {
  std::vector<const Property*> laws;
  for (const Property* property : all_properties()) {
    const std::string id = property->id;
    if (id != "bits" && id != "producer" && id != "graph") laws.push_back(property);
  }
  return laws;
}

const xqacheck::reference::Problem& original() {
  static const auto problem = xqacheck::reference::make_problem(parse_run_line(kBatch).subject);
  return problem;
}

// One output element gets another value where `when` holds.
FakeRunner::Spoil off_by(double value, std::function<bool(const xqacheck_problem&, const RunOptions&)> when) {
  return [=](const xqacheck_problem& p, const RunOptions& options, Outcome& outcome) {
    if (when(p, options)) FakeRunner::store(p, outcome, 0, 1, 2, value);
  };
}

const std::int32_t* table(const xqacheck_problem& p) {
  return static_cast<const std::int32_t*>(p.page_table.data);
}
const std::uint16_t* pool(const xqacheck_problem& p) {
  return static_cast<const std::uint16_t*>(p.k.data);
}
std::uint32_t length(const xqacheck_problem& p, int request) {
  return static_cast<const std::uint32_t*>(p.seq_lens.data)[request];
}

}  // namespace

TEST_CASE("golden names a fault that no element alone shows") {
  const std::string line = "xqa/1 heads=16/2 len=110 page=16 kv=e4m3 seed=3";
  const auto judged = [&](double scale, bool with_filters) {
    // The softmax scale of the kernel, relative to the right one.
    FakeRunner runner([scale](const xqacheck_problem& p, const RunOptions&, Outcome& outcome) {
      xqacheck_problem scaled = p;
      scaled.q_scale = {static_cast<float>(scale * p.q_scale.value), 0, nullptr};
      const auto golden = xqacheck::reference::golden(scaled, nullptr, {.error_model = false, .threads = 1});
      for (std::uint32_t head = 0; head < p.q_heads; ++head)
        for (std::uint32_t d = 0; d < p.head_dim_v; ++d)
          FakeRunner::store(p, outcome, 0, head, d, golden.out[head * p.head_dim_v + d]);
    });
    runner.description_.numerics.p_format = XQACHECK_E4M3;
    runner.description_.numerics.p_scale = 448;
    TrialOptions options;
    options.filters = with_filters;
    Trial trial(parse_run_line(line), runner, options);
    return judge_property(*property_named("golden"), trial);
  };
  CHECK(judged(1, true).status == Status::passed);
  CHECK(judged(1.01, false).status == Status::passed);
  const Verdict verdict = judged(1.01, true);
  CHECK(verdict.status == Status::failed);
  CHECK(verdict.kind == "suspect");
  CHECK_THAT(verdict.message, Contains("softmax scale +0.9"));
}

TEST_CASE("a correct kernel passes every property") {
  for (const Property* property : host_laws()) {
    INFO(property->id);
    FakeRunner runner;
    const Verdict verdict = judge(property->id, runner);
    INFO(verdict.message);
    CHECK(verdict.status == Status::passed);
    CHECK(verdict.property == property->id);
    CHECK_THAT(verdict.run_line, Contains(std::string(" prop=") + property->id + " "));
    CHECK(verdict.out_hash != 0);
    CHECK(verdict.route.kernel == "fake");
  }
}

TEST_CASE("golden names the bad element") {
  FakeRunner runner(off_by(0.75, [](auto&, auto&) { return true; }));
  const Verdict verdict = judge("golden", runner);
  CHECK(verdict.status == Status::failed);
  CHECK(verdict.kind == "value");
  CHECK(verdict.bad_elements == 1);
  REQUIRE(verdict.evidence.size() == 1);
  CHECK(verdict.evidence[0].request == 0);
  CHECK(verdict.evidence[0].head == 1);
  CHECK(verdict.evidence[0].dim == 2);
  CHECK(verdict.evidence[0].got == 0.75);
  CHECK(verdict.evidence[0].ulps > 1);
  REQUIRE(verdict.notes.size() == 1);
  CHECK(verdict.notes[0] == "bad elements lie in requests 0, rows 0, heads 1, channels 2");
}

TEST_CASE("golden tells kinds of failure apart") {
  FakeRunner nan(off_by(std::numeric_limits<double>::quiet_NaN(), [](auto&, auto&) { return true; }));
  CHECK(judge("golden", nan).kind == "nan or inf");
  FakeRunner lse([](auto&, auto&, Outcome& outcome) { reinterpret_cast<float*>(outcome.lse.data())[3] += 1; });
  CHECK(judge("golden", lse).kind == "lse");
  FakeRunner damage([](auto&, auto&, Outcome& outcome) { outcome.damage.push_back({"before out", -4, 2}); });
  const Verdict damaged = judge("golden", damage);
  CHECK(damaged.kind == "write before out");
  CHECK(damaged.message == "2 bytes written before out, the first at offset -4");
  FakeRunner state([](auto&, auto&, Outcome& outcome) { outcome.state_left_zero = false; });
  CHECK(judge("golden", state).kind == "state");
}

TEST_CASE("what a run did becomes the status of the verdict") {
  const std::pair<RunStatus, Status> all[] = {{RunStatus::unsupported, Status::unsupported},
                                              {RunStatus::invalid, Status::unsupported},
                                              {RunStatus::error, Status::failed},
                                              {RunStatus::crashed, Status::crashed},
                                              {RunStatus::hung, Status::hung}};
  for (const auto& [run, status] : all) {
    FakeRunner runner([run = run](auto&, auto&, Outcome& outcome) { outcome.status = run, outcome.why = "because"; });
    for (const Property* property : host_laws()) {
      const Verdict verdict = judge(property->id, runner);
      CHECK(verdict.status == status);
      CHECK_THAT(verdict.message, Contains("because"));
      CHECK(verdict.out_hash == 0);
    }
  }
}

TEST_CASE("golden does not trust what an output of zeros would pass") {
  FakeRunner runner;
  CHECK(judge("golden", runner, "xqa/1 heads=1/1 dim=16 len=0,0").status == Status::passed);  // zeros are due
  const Verdict zero = judge("golden", runner, "xqa/1 heads=1/1 dim=16 len=1 data=ints seed=0");
  if (zero.status == Status::mistrusted) CHECK(zero.message == "zero is expected everywhere");
  // Sinks of 10000 take all the weight: what is left of V is far below any grid.
  const Verdict blind = judge("golden", runner, "xqa/1 heads=1/1 dim=16 len=64 sinks=10000");
  CHECK(blind.status == Status::mistrusted);
}

TEST_CASE("golden respects the declared domain") {
  FakeRunner runner;
  runner.description_.domain.zero_length = XQACHECK_EMPTY_UNSUPPORTED;
  CHECK(judge("golden", runner, "xqa/1 heads=1/1 dim=16 len=0,5").status == Status::unsupported);
  CHECK(judge("golden", runner, "xqa/1 heads=1/1 dim=16 len=1,5").status == Status::passed);
  runner.description_.domain.zero_length = XQACHECK_EMPTY_NAN;
  CHECK(judge("golden", runner, "xqa/1 heads=1/1 dim=16 len=0,5").kind ==
        "nan or inf");  // zeros, where NaN is declared
  runner.description_.domain = {};
  runner.description_.domain.nan_policy = 1;
  CHECK(judge("golden", runner, "xqa/1 heads=1/1 dim=16 len=5 inject=nan@v:0:2").status == Status::unsupported);
}

TEST_CASE("rerun finds what changes from run to run") {
  int calls = 0;
  FakeRunner second(off_by(0.5, [&](auto&, auto&) { return ++calls == 2; }));
  CHECK(judge("rerun", second).kind == "other bits");
  FakeRunner third(off_by(0.5, [](auto&, const RunOptions& options) { return options.runs == 3; }));
  CHECK_THAT(judge("rerun", third).message, Contains("on the third of three launches"));
  third.description_.deterministic = 0;
  CHECK(judge("rerun", third).status == Status::unsupported);
}

TEST_CASE("poison finds reads of what must not matter") {
  // Each reads one place: nothing that a request owns lies there.
  const std::pair<const char*, std::function<std::uint32_t(const xqacheck_problem&)>> all[] = {
      {"tokens past the end",
       [](const xqacheck_problem& p) -> std::uint32_t {
         const std::uint32_t last = length(p, 0);
         return pool(p)[table(p)[last / 8] * p.k_stride_page + last % 8 * p.k_stride_token];
       }},
      {"gaps", [](const xqacheck_problem& p) -> std::uint32_t { return pool(p)[p.head_dim]; }},
      {"unused page table entries", [](const xqacheck_problem& p) { return static_cast<std::uint32_t>(table(p)[3]); }},
  };
  for (const auto& [place, read] : all) {
    INFO(place);
    const std::uint32_t before = read(original().view(nullptr, nullptr));
    FakeRunner runner(off_by(0.5, [&, read = read](const xqacheck_problem& p, auto&) { return read(p) != before; }));
    const Verdict verdict = judge("poison", runner);
    CHECK(verdict.status == Status::failed);
    CHECK_THAT(verdict.message, Contains(place));
  }
}

TEST_CASE("poison leaves finite tails to kernels that declare to need them") {
  const auto tail = [](const xqacheck_problem& p) {
    const std::uint32_t last = length(p, 0);
    return pool(p)[table(p)[last / 8] * p.k_stride_page + last % 8 * p.k_stride_token];
  };
  FakeRunner runner(off_by(0.5, [&](const xqacheck_problem& p, auto&) { return (tail(p) & 0x7f80) == 0x7f80; }));
  CHECK(judge("poison", runner).status == Status::failed);
  runner.description_.domain.needs_finite_tail = 1;
  CHECK(judge("poison", runner).status == Status::passed);
}

TEST_CASE("relabel finds answers that depend on page ids") {
  const std::int32_t first = table(original().view(nullptr, nullptr))[0];
  FakeRunner runner(off_by(0.5, [&](const xqacheck_problem& p, auto&) { return table(p)[0] != first; }));
  CHECK(judge("relabel", runner).kind == "other bits");
  FakeRunner correct;
  CHECK(judge("relabel", correct, "xqa/1 heads=1/1 dim=16 len=5 page=0").status == Status::unsupported);
}

TEST_CASE("company finds answers that depend on the batch") {
  FakeRunner alone(off_by(0.5, [](const xqacheck_problem& p, auto&) { return p.requests == 1 && length(p, 0) == 9; }));
  CHECK_THAT(judge("company", alone).message, Contains("with request 1 alone"));
  FakeRunner reversed(
      off_by(0.5, [](const xqacheck_problem& p, auto&) { return p.requests == 3 && length(p, 0) == 5; }));
  const Verdict verdict = judge("company", reversed);
  CHECK_THAT(verdict.message, Contains("in reverse order"));
  CHECK(verdict.evidence.at(0).request == 2);  // in the order of the case
  FakeRunner other_plan([](const xqacheck_problem& p, auto&, Outcome& outcome) { outcome.route.splits = p.requests; });
  CHECK(judge("company", other_plan).status == Status::passed);  // the reversed batch still has the same plan
  reversed.description_.split_invariant_company = 0;
  CHECK(judge("company", reversed).status == Status::unsupported);
}

TEST_CASE("company takes every kind of batch apart") {
  const char* lines[] = {
      "xqa/1 heads=2/1 dim=16 len=9,12,7 page=0 layout=hnd pad=8/8/8",
      "xqa/1 heads=2/1 dim=16 len=9,12,7 page=8 draft=3,1,2 window=4",
      "xqa/1 heads=2/1 dim=16 len=9,12,7 page=8 draft=3 tree=0,1,1/0,0,0/0,1,2",
      "xqa/1 heads=2/1 dim=16 len=9,12,7 page=8 beam=4",
      "xqa/1 heads=2/1 dim=16 len=9,12,7 page=0 beam=2",
      "xqa/1 heads=2/1 dim=16 len=9,12,7 page=8 layout=pool qpad=8/0 outpad=16/8 tpad=3",
      "xqa/1 heads=2/1 dim=16 len=9,12,7 page=8 rope=neox bias=1",
      "xqa/1 heads=2/1 dim=576/512 len=9,12,7 page=8",
  };
  for (const char* line : lines) {
    INFO(line);
    FakeRunner runner;
    const Verdict verdict = judge("company", runner, line);
    INFO(verdict.message);
    CHECK(verdict.status == Status::passed);
  }
}

TEST_CASE("guard, workspace and plan change the conditions that they name") {
  FakeRunner guard([](auto&, const RunOptions& options, Outcome& outcome) {
    if (options.place == Placement::begin) outcome.status = RunStatus::crashed, outcome.why = "signal 11";
  });
  const Verdict crashed = judge("guard", guard);
  CHECK(crashed.status == Status::crashed);
  CHECK(crashed.message == "with unmapped memory right before every buffer: signal 11");
  FakeRunner scratch(off_by(0.5, [](auto&, const RunOptions& options) { return options.scratch == Fill::huge; }));
  CHECK_THAT(judge("workspace", scratch).message, Contains("full of huge numbers"));
  FakeRunner output(off_by(0.5, [](auto&, const RunOptions& options) { return options.output == Fill::zero; }));
  CHECK(judge("workspace", output).kind == "other bits");
  FakeRunner plan(off_by(0.5, [](auto&, const RunOptions& options) { return options.plan == 3; }));
  const Verdict verdict = judge("plan", plan);
  CHECK(verdict.kind == "value");
  CHECK_THAT(verdict.message, Catch::Matchers::StartsWith("with 3 splits: "));
  FakeRunner stubborn([](auto&, auto&, Outcome& outcome) { outcome.route.splits = 1; });
  CHECK(judge("plan", stubborn).status == Status::unsupported);
}

TEST_CASE("a trial makes one golden result and one plain run for all properties") {
  FakeRunner runner;
  Trial trial(parse_run_line(kBatch), runner);
  judge_property(*property_named("golden"), trial);
  CHECK(runner.calls == 1);
  judge_property(*property_named("plan"), trial);
  CHECK(runner.calls == 5);
}
