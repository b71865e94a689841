// twin fails a kernel that ignores any one argument, and passes one that heeds all.
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

Verdict judge(DeafRunner& runner, const std::string& line) {
  Trial trial(parse_run_line(line), runner);
  return judge_property(*property_named("twin"), trial);
}

void fix(Problem& p, TensorId id, xqacheck_scale& field, float value) {
  field.value = value;
  *p.tensor(id).as<float>() = value;
}

void drop(Problem& p, TensorId id, xqacheck_tensor& field) {
  p.tensor(id) = HostBuffer();
  field = {};
}

// Draft i sees drafts 0 to i, whatever the mask says.
void take_as_causal(Problem& p) {
  xqacheck_problem& d = p.description;
  if (d.mask_kind == XQACHECK_MASK_NONE) return;
  for (std::uint32_t row = 0; row < d.total_rows; ++row)
    for (std::uint32_t w = 0; w < d.mask_words; ++w)
      p.tensor(TensorId::mask).as<std::uint32_t>()[row * d.mask_words + w] = (2u << row % d.max_rows) - 1;
}

}  // namespace

TEST_CASE("twin: an ignored argument is a failure, by name") {
  struct Deafness {
    const char* argument;
    const char* line;
    DeafRunner::Mishear mishear;
  };
  const Deafness all[] = {
      {"sinks", "xqa/1 heads=4/2 dim=16 len=40,9 sinks=log",
       [](Problem& p) { drop(p, TensorId::sinks, p.description.sinks); }},
      {"window", "xqa/1 heads=4/2 dim=16 len=40,9 window=11", [](Problem& p) { p.description.window = 0; }},
      {"mask", "xqa/1 heads=4/2 dim=16 len=40,9 draft=5 tree=0,1,1,2,2", take_as_causal},
      {"mask", "xqa/1 heads=4/2 dim=16 len=40,9 draft=5", take_as_causal},
      {"q_scale", "xqa/1 heads=4/2 dim=16 len=40,9 qscale=0.5",
       [](Problem& p) { fix(p, TensorId::q_scale, p.description.q_scale, 0.5f); }},
      {"q_scale", "xqa/1 heads=4/2 dim=16 len=40,9",
       [](Problem& p) { fix(p, TensorId::q_scale, p.description.q_scale, 1); }},
      {"k_scale", "xqa/1 heads=4/2 dim=16 len=40,9 kv=int8",
       [](Problem& p) { fix(p, TensorId::k_scale, p.description.k_scale, 1 / 32.f); }},
      {"v_scale", "xqa/1 heads=4/2 dim=16 len=40,9 kv=e4m3",
       [](Problem& p) { fix(p, TensorId::v_scale, p.description.v_scale, 0.25f); }},
      {"rcp_out_scale", "xqa/1 heads=4/2 dim=16 len=40,9 kv=e4m3 out=e4m3 rcpout=4",
       [](Problem& p) { fix(p, TensorId::rcp_out_scale, p.description.rcp_out_scale, 4); }},
      {"beam_index", "xqa/1 heads=4/2 dim=16 len=40,9 beam=4",
       [](Problem& p) {
         std::memset(p.tensor(TensorId::beam_index).data(), 0, p.tensor(TensorId::beam_index).size());
       }},
      {"rope_table", "xqa/1 heads=4/2 dim=16 len=40,9 rope=neox",
       [](Problem& p) { p.description.rope_kind = XQACHECK_ROPE_NONE; }},
      {"qkv_bias", "xqa/1 heads=4/2 dim=16 len=40,9 rope=neox bias=1",
       [](Problem& p) { drop(p, TensorId::qkv_bias, p.description.qkv_bias); }},
  };
  for (const Deafness& each : all) {
    INFO(each.line);
    DeafRunner good({});
    const Verdict right = judge(good, each.line);
    INFO(right.message);
    CHECK(right.status == Status::passed);
    REQUIRE_FALSE(right.notes.empty());
    CHECK_THAT(right.notes[0], Contains(each.argument));
    DeafRunner deaf(each.mishear);
    const Verdict wrong = judge(deaf, each.line);
    CHECK(wrong.status == Status::failed);
    CHECK(wrong.kind == std::string("ignored ") + each.argument);
    CHECK_THAT(wrong.message, Contains("none does") && Contains("is ignored"));
  }
}

TEST_CASE("twin: data that hides an argument are replaced by data that show it") {
  // K = 0: no scale of the scores changes anything. With ordinary numbers it does.
  DeafRunner deaf([](Problem& p) { fix(p, TensorId::q_scale, p.description.q_scale, 1); });
  const Verdict verdict = judge(deaf, "xqa/1 heads=4/2 dim=16 len=40,9 data=kzero");
  CHECK(verdict.kind == "ignored q_scale");
  REQUIRE(verdict.notes.size() == 1);
  CHECK(verdict.notes[0] == "with data=normal in place of the case's data");
}

TEST_CASE("twin: MISTRUSTED where no argument can be seen to matter") {
  DeafRunner good({});
  const Verdict verdict =
      judge(good, "xqa/1 heads=1/1 dim=16 len=1");  // one token has all the weight, whatever its score
  CHECK(verdict.status == Status::mistrusted);
  CHECK_THAT(verdict.message, Contains("no element changes by more than the bounds when any of q_scale changes"));
  DeafRunner coarse({});
  coarse.declare().numerics.accumulator_bits = 4;  // bounds larger than every signal
  CHECK(judge(coarse, "xqa/1 heads=4/2 dim=16 len=40,9 sinks=log").status == Status::mistrusted);
}
