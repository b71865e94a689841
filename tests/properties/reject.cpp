// reject and route: kernels that answer, crash or fail on malformed problems, refuse without a reason, or are not the
// kernel asked for.
#include "kernels/abi/xqacheck_contradiction.h"
#include "kernels/registry.hpp"
#include "properties/isolation/in_process_runner.hpp"
#include "properties/property.hpp"
#include "reference/case_line.hpp"
#include "tests/catch.hpp"
#include "tests/properties/fake_runner.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;
using Catch::Matchers::Contains;
using xqacheck::reference::parse_run_line;
using xqacheck::reference::Problem;

namespace {

// Every field that can be malformed: pages, drafts with a mask, LSE.
const std::string kCase = "xqa/1 heads=4/2 dim=32 len=70,9 page=8 draft=3 lse=1";

// Refuses what contradicts itself, unless `blind` says that it does not look.
class CheckingRunner final : public Runner {
 public:
  std::function<bool(const xqacheck_problem&)> blind;
  RunStatus blindly = RunStatus::ok;
  bool silent = false;
  FakeRunner inner;

  Outcome run(const Problem& problem, const RunOptions& options) override {
    std::vector<std::byte> out(problem.out_bytes()), lse(problem.lse_bytes());
    const xqacheck_problem p = problem.view(out.data(), lse.data());
    const char* fault = xqacheck_contradiction(&p);
    if (fault == nullptr) return inner.run(problem, options);
    Outcome outcome;
    outcome.status = blind && blind(p) ? blindly : RunStatus::invalid;
    outcome.why = silent                                 ? "supports gave no reason"
                  : outcome.status == RunStatus::crashed ? "SIGSEGV in run()"
                                                         : fault;
    return outcome;
  }
  const xqacheck_description& description() override { return inner.description_; }
};

Verdict judge(Runner& runner, const std::string& line = kCase, const char* property = "reject") {
  Trial trial(parse_run_line(line), runner);
  return judge_property(*property_named(property), trial);
}

}  // namespace

TEST_CASE("reject: a kernel that checks its problem passes") {
  CheckingRunner runner;
  const Verdict verdict = judge(runner);
  INFO(verdict.message);
  CHECK(verdict.status == Status::passed);
  CHECK(verdict.elements >= 28);  // malformed and odd problems together
}

TEST_CASE("reject: one field that is not looked at is enough to fail") {
  const std::pair<const char*, std::function<bool(const xqacheck_problem&)>> all[] = {
      {"q_heads = 0", [](const xqacheck_problem& p) { return p.q_heads == 0; }},
      {"kv_heads above q_heads", [](const xqacheck_problem& p) { return p.q_heads > 0 && p.kv_heads > p.q_heads; }},
      {"head_dim no multiple of 16", [](const xqacheck_problem& p) { return p.head_dim % 16 == 8; }},
      {"an unknown dtype of k and v", [](const xqacheck_problem& p) { return p.k.dtype == 99; }},
      {"a capacity beyond the page table",
       [](const xqacheck_problem& p) { return p.max_seq_len > p.table_columns * p.page_tokens; }},
      {"mask_words = 0 with a mask", [](const xqacheck_problem& p) { return p.mask_words == 0; }},
      {"a stride of q that leaves 64 bits",
       [](const xqacheck_problem& p) { return p.q_stride_head > (std::int64_t{1} << 60); }},
      {"more pages than the pool holds", [](const xqacheck_problem& p) { return p.pages_in_pool == 0xFFFFFFFFu; }},
  };
  for (const auto& [what, blind] : all) {
    INFO(what);
    CheckingRunner runner;
    runner.blind = blind;
    const Verdict answered = judge(runner);
    CHECK(answered.kind == "answered");
    CHECK_THAT(answered.message, Contains(what) && Contains("answered instead of refused"));
    runner.blindly = RunStatus::error;
    CHECK(judge(runner).kind == "error");
    runner.blindly = RunStatus::crashed;
    CHECK(judge(runner).status == Status::crashed);
    runner.blindly = RunStatus::hung;
    CHECK(judge(runner).status == Status::hung);
  }
}

TEST_CASE("reject: a refusal needs a reason") {
  CheckingRunner runner;
  runner.silent = true;
  CHECK(judge(runner).kind == "no reason");
}

TEST_CASE("reject: odd problems are answered right or refused") {
  CheckingRunner wrong;  // takes channel 0 of another head where there are gaps
  wrong.inner = FakeRunner([](const xqacheck_problem& p, const RunOptions&, Outcome& outcome) {
    if (p.k_stride_head % 16 == 1) FakeRunner::store(p, outcome, 0, 0, 0, 3.0);
  });
  const Verdict verdict = judge(wrong);
  CHECK(verdict.status == Status::failed);
  CHECK_THAT(verdict.message, Contains("with odd gaps after pages, tokens and heads"));
  CheckingRunner refuses;
  refuses.inner = FakeRunner([](const xqacheck_problem& p, const RunOptions&, Outcome& outcome) {
    if (p.k_stride_head % 16 == 1 || p.page_tokens == 24)
      outcome.status = RunStatus::unsupported, outcome.why = "k stride: multiples of 8";
  });
  CHECK(judge(refuses).status == Status::passed);
}

TEST_CASE("reject: what is refused anyway proves nothing") {
  CheckingRunner runner;
  runner.inner = FakeRunner(
      [](auto&, auto&, Outcome& outcome) { outcome.status = RunStatus::unsupported, outcome.why = "not today"; });
  CHECK(judge(runner).status == Status::unsupported);
}

TEST_CASE("reject: flash32 refuses every malformed problem") {
  for (const char* line :
       {kCase.c_str(), "xqa/1 heads=4/2 dim=32 len=70,9 page=0", "xqa/1 heads=2/1 dim=64 len=70,9 kv=int8 rope=neox",
        "xqa/1 heads=2/1 dim=64 len=70,9 beam=4 layout=pool"}) {
    INFO(line);
    InProcessRunner runner(*xqacheck::kernels::find_builtin_kernel("flash32"));
    const Verdict verdict = judge(runner, line);
    INFO(verdict.message);
    CHECK(verdict.status == Status::passed);
  }
}

TEST_CASE("route: the kernel that ran is the one asked for") {
  FakeRunner right;
  CHECK(judge(right, kCase + " @ kernel=fake", "route").status == Status::passed);
  CHECK(judge(right, kCase + " @ kernel=./kernels.so:fake", "route").status == Status::passed);
  CHECK(judge(right, kCase + " @ kernel=./kernels.so", "route").status == Status::passed);
  const Verdict other = judge(right, kCase + " @ kernel=./kernels.so:fast", "route");
  CHECK(other.kind == "route");
  CHECK(other.message == "fast was asked for, fake ran");
  const std::pair<const char*, std::function<void(Outcome&)>> all[] = {
      {"fake was asked for, fallback ran", [](Outcome& o) { o.route.kernel = "fallback"; }},
      {"version 1 of fake was asked for, 2 ran", [](Outcome& o) { o.route.version = "2"; }},
      {"a kernel on host memory ran on 'NVIDIA H200'", [](Outcome& o) { o.route.device = "NVIDIA H200"; }},
      {"the kernel reports a plan of 0 sub-sequences", [](Outcome& o) { o.route.splits = 0; }},
      {"2 splits were forced, 5 were used", [](Outcome& o) { o.route.splits = 5; }},
  };
  for (const auto& [message, change] : all) {
    FakeRunner wrong([change = change](auto&, auto&, Outcome& outcome) { change(outcome); });
    const Verdict verdict = judge(wrong, kCase, "route");
    CHECK(verdict.status == Status::failed);
    CHECK(verdict.message == message);
  }
}
