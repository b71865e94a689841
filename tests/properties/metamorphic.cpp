// Every law of properties/checks/laws is broken by a kernel with the fault that it is about, and held by a right one.
#include "properties/property.hpp"
#include "reference/case_line.hpp"
#include "tests/catch.hpp"
#include "tests/properties/deaf_runner.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;
using Catch::Matchers::Contains;
using xqacheck::reference::HostBuffer;
using xqacheck::reference::parse_run_line;
using xqacheck::reference::Problem;
using xqacheck::reference::TensorId;

namespace {

Verdict judge(Runner& runner, const std::string& line) {
  Trial trial(parse_run_line(line), runner);
  return judge_property(*property_named("laws"), trial);
}

// The first token of request 0 does not exist for the kernel: its page holds the second token's K and V there.
void skip_first_token(Problem& p) {
  const xqacheck_problem& d = p.description;
  const std::int32_t page = p.tensor(TensorId::page_table).as<std::int32_t>()[0];
  for (const auto& [id, stride_page, stride_token] : {std::tuple{TensorId::k, d.k_stride_page, d.k_stride_token},
                                                      std::tuple{TensorId::v, d.v_stride_page, d.v_stride_token}}) {
    std::uint16_t* first = p.tensor(id).as<std::uint16_t>() + page * stride_page;
    for (std::int64_t i = 0; i < stride_token; ++i) first[i] = first[i + stride_token];
  }
}

// Every output element becomes change(value).
FakeRunner::Spoil elementwise(double (*change)(double)) {
  return [=](const xqacheck_problem& p, const RunOptions&, Outcome& outcome) {
    for (std::size_t i = 0; i < outcome.out.size(); i += 2) {
      std::uint16_t bits;
      std::memcpy(&bits, outcome.out.data() + i, 2);
      bits = xqacheck::reference::encode(xqacheck::reference::Dtype::bf16,
                                         change(xqacheck::reference::decode(xqacheck::reference::Dtype::bf16, bits)));
      std::memcpy(outcome.out.data() + i, &bits, 2);
    }
    (void)p;
  };
}

struct Fault {
  const char* law;
  const char* line;
  DeafRunner::Mishear mishear;
  FakeRunner::Spoil spoil;
};

const std::string kDecode = "xqa/1 heads=4/2 dim=16 len=40,9 page=8 seed=2";

}  // namespace

TEST_CASE("laws: each is broken by the fault that it is about") {
  const Fault all[] = {
      {"equal heads",
       "xqa/1 heads=4/2 dim=16 len=40,9",
       {},
       [](const xqacheck_problem& p, const RunOptions&, Outcome& outcome) {
         FakeRunner::store(p, outcome, 0, 1, 2, 0.5);
       }},
      {"V doubled", "xqa/1 heads=4/2 dim=16 len=40,9", {}, elementwise([](double x) { return x + 0.25; })},
      {"sink as token",
       "xqa/1 heads=4/2 dim=16 len=40,9",
       [](Problem& p) { p.tensor(TensorId::sinks) = HostBuffer(), p.description.sinks = {}; },
       {}},
      {"wide window",
       "xqa/1 heads=4/2 dim=16 len=40,9",
       [](Problem& p) { p.description.window = p.description.window > 0 ? p.description.window - 1 : 0; },
       {}},
      {"drafts as decodes",
       "xqa/1 heads=4/2 dim=16 len=40,9 draft=5",
       [](Problem& p) { std::memset(p.tensor(TensorId::mask).data(), 0xff, p.tensor(TensorId::mask).size()); },
       {}},
      {"tree path as chain",
       "xqa/1 heads=4/2 dim=16 len=40,9 draft=5 tree=0,1,1,2,2",
       [](Problem& p) { std::memset(p.tensor(TensorId::mask).data(), 0xff, p.tensor(TensorId::mask).size()); },
       {}},
      {"beams as requests",
       "xqa/1 heads=4/2 dim=16 len=40,9 beam=4",
       [](Problem& p) { std::memset(p.tensor(TensorId::beam_index).data(), 0, p.tensor(TensorId::beam_index).size()); },
       {}},
      {"split counts",
       "xqa/1 heads=4/2 dim=16 len=40,9",
       {},
       [](const xqacheck_problem& p, const RunOptions& options, Outcome& outcome) {
         if (options.plan == 3) FakeRunner::store(p, outcome, 0, 1, 2, 2.5);
       }},
      {"token order", "xqa/1 heads=1/1 dim=16 len=40,9 page=8", skip_first_token, {}},
      {"equal V", "xqa/1 heads=4/2 dim=16 len=40,9 window=7", {}, elementwise([](double x) { return 1.0625 * x; })},
      {"mean of V", "xqa/1 heads=1/1 dim=16 len=40,9 draft=3 page=8", skip_first_token, {}},
      {"LSE base",
       "xqa/1 heads=4/2 dim=16 len=40,9 lse=1",
       [](Problem& p) { p.description.lse_base = 2.718281828f; },
       {}},
  };
  for (const Fault& fault : all) {
    INFO(fault.law);
    DeafRunner good({});
    const Verdict right = judge(good, fault.line);
    INFO(right.message);
    CHECK(right.status == Status::passed);
    REQUIRE_FALSE(right.notes.empty());
    CHECK_THAT(right.notes[0], Contains(fault.law));  // among those that held and could have failed
    DeafRunner wrong(fault.mishear, fault.spoil);
    const Verdict verdict = judge(wrong, fault.line);
    INFO(verdict.message);
    CHECK(verdict.status == Status::failed);
    CHECK(verdict.kind == fault.law);
    CHECK_THAT(verdict.message, Contains("law '" + std::string(fault.law) + "': "));
  }
}

TEST_CASE("laws: equal heads within the bound where rows may depend on each other") {
  // One unit of the output off: other bits, but far inside of the bound.
  const auto nudge = [](const xqacheck_problem& p, const RunOptions&, Outcome& outcome) {
    std::uint16_t bits;
    std::byte* element = outcome.out.data() + 2 * (p.out_stride_head + 2);
    std::memcpy(&bits, element, 2);
    ++bits;
    std::memcpy(element, &bits, 2);
  };
  DeafRunner independent({}, nudge), coupled({}, nudge);
  independent.declare().numerics.accumulator_bits = coupled.declare().numerics.accumulator_bits = 12;
  coupled.declare().rows_independent = 0;
  CHECK(judge(independent, kDecode).kind == "equal heads");
  CHECK(judge(coupled, kDecode).kind != "equal heads");
}

TEST_CASE("laws: MISTRUSTED where every allowance is larger than the signal") {
  DeafRunner coarse({});
  coarse.declare().numerics.accumulator_bits = 4;
  coarse.declare().rows_independent = coarse.declare().deterministic = 0;
  const Verdict verdict = judge(coarse, kDecode);
  CHECK(verdict.status == Status::mistrusted);
  CHECK_THAT(verdict.message, Contains("allows more than the signal"));
}
