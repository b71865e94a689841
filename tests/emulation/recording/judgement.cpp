// The golden model judges recorded outputs: known faults of the public kernels are found and named, and nothing else is.
#include "emulation/recording/judgement.hpp"

#include <map>

#include "emulation/kernels/emulate.hpp"
#include "tests/catch.hpp"
#include "tests/emulation/recording/recorded_files.hpp"

using namespace xqacheck;
using namespace xqacheck::emulation;
using Catch::Matchers::Contains;

namespace {

// Recordings whose output is wrong. Three were annotated by those who recorded them, the fourth follows from the kernel's
// rule for sinks (a block of 32 rows starts counting heads anew) and was not.
const std::map<std::string, std::string> kWrong = {
    {"144_qgmma_bf16_e4m3_d128g8h1_p32_sink_sd_normal_s1", "sinks are dropped"},
    {"145_qgmma_bf16_e4m3_d128g8h1_p32_sink_sd_normal_s3", "sink of the last head"},
    {"146_qgmma_bf16_e4m3_d128g4h1_p32_sink_sd_normal_s1", "sink of the last head"},
    {"164_hmma_bf16_kv16_d128g5h1_p32_sink_sd_normal_s1", "32 mod 5 is not 0"},
};

Recording fixture(const std::string& name) { return read_recording(tests::source_dir() + "/fixtures/recorded/" + name + ".safetensors"); }

// The recording as a kernel with another recipe would have written it.
Recording as_if_by(const char* parameters, Recording recording) {
  const Recipe recipe = with_parameters(*recording.recipe, parameters);
  emulate(recipe, recording.problem.view(recording.out.data(), nullptr));
  return recording;
}

}  // namespace

TEST_CASE("every recorded output is within bounds, or wrong for a named cause", "[judgement]") {
  std::size_t wrong = 0;
  for (const std::string& path : tests::all_recordings()) {
    const Recording recording = read_recording(path);
    INFO(recording.name);
    const RecordedJudgement result = judge_recording(recording);
    CHECK(result.unexplained == 0);
    const auto known = kWrong.find(recording.name);
    if (known == kWrong.end()) {
      CHECK(result.right());
      CHECK(result.causes.empty());
    } else {
      ++wrong;
      CHECK_FALSE(result.right());
      REQUIRE(result.causes.size() == 1);
      CHECK_THAT(result.causes[0].what, Contains(known->second));
    }
  }
  CHECK(wrong >= kWrong.size());
}

TEST_CASE("faults that no recording shows are named too", "[judgement]") {
  const auto cause_of = [](const Recording& recording) {
    const RecordedJudgement result = judge_recording(recording);
    return result.causes.empty() ? std::string("none") : result.causes[0].what;
  };
  const Recording tree = fixture("097_hmma_bf16_kv16_d128g5h1_p32_sd_normal_s2");
  CHECK(cause_of(tree) == "none");
  CHECK_THAT(cause_of(as_if_by("draft_mask=causal", fixture(tree.name))), Contains("see each other causally"));
  const Recording window = fixture("090_hmma_bf16_kv16_d128g8h1_p32_win_share_sd_normal_s2");
  CHECK(cause_of(window) == "none");
  CHECK_THAT(cause_of(as_if_by("extra_window=1", fixture(window.name))), Contains("one token too long"));
  const Recording sinks = fixture("129_hgmma_bf16_kv16_d48g3h1_p16_sink_peaky_s4");
  CHECK(cause_of(sinks) == "none");
  CHECK_THAT(cause_of(as_if_by("sink=ignored", fixture(sinks.name))), Contains("sinks are dropped"));
  // The keys-on-M draft kernel looks at no mask: the same tree through it is wrong.
  const char* swapped = "115_qgmma_fp16_e4m3_d64g8h1_p64_share_sd_normal_s3";
  CHECK_THAT(cause_of(as_if_by("keys_on_m=always", fixture(swapped))), Contains("see each other causally"));
}

TEST_CASE("damage that no fault explains stays unexplained", "[judgement]") {
  Recording recording = fixture("129_hgmma_bf16_kv16_d48g3h1_p16_sink_peaky_s4");
  for (std::size_t i = 0; i < 96; ++i) recording.out[i] = std::byte{0x3f};  // the first row: all about 0.75
  const RecordedJudgement result = judge_recording(recording);
  CHECK_FALSE(result.right());
  CHECK(result.unexplained == 1);
}
