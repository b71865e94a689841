// xqacheck replay as a person runs it: what it prints and how it exits.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/catch.hpp"

using Catch::Matchers::Contains;

namespace {

struct Answer { int code = -1; std::string text; };

Answer xqacheck(const std::string& arguments) {
  const char* bin = std::getenv("XQACHECK_BIN");
  const std::string command = std::string(bin != nullptr ? bin : "build/bin") + "/xqacheck " + arguments + " 2>&1";
  Answer answer;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char line[512];
  while (fgets(line, sizeof line, pipe) != nullptr) answer.text += line;
  answer.code = WEXITSTATUS(pclose(pipe));
  return answer;
}

std::string recorded(const std::string& name) {
  const char* source = std::getenv("XQACHECK_SOURCE_DIR");
  return std::string(source != nullptr ? source : ".") + "/fixtures/recorded/" + name;
}

}  // namespace

TEST_CASE("replay: equal recordings exit 0, a wrong recipe 1, with both bit patterns", "[cli]") {
  const std::string file = recorded("102_hmma_fp16_e4m3_d128g8h1_p64_share_peaky5_s1.safetensors");
  const Answer equal = xqacheck("replay " + file);
  CHECK(equal.code == 0);
  CHECK_THAT(equal.text, Contains("EQUAL") && Contains("hmma sm_90") && Contains("1 recordings, 0 different"));
  const Answer wrong = xqacheck("replay --recipe \"hint=never\" " + file);
  CHECK(wrong.code == 1);
  CHECK_THAT(wrong.text, Contains("DIFFERENT") && Contains("hint=never") && Contains("recorded 0x") && Contains("emulated 0x") &&
                             Contains("ulps"));
}

TEST_CASE("replay --golden: wrong outputs exit 1 and are named", "[cli]") {
  const Answer wrong = xqacheck("replay --golden " + recorded("164_hmma_bf16_kv16_d128g5h1_p32_sink_sd_normal_s1.safetensors"));
  CHECK(wrong.code == 1);
  CHECK_THAT(wrong.text, Contains("WRONG") && Contains("sink of a wrong head"));
  const Answer right = xqacheck("replay --golden " + recorded("148_hmma_bf16_e4m3_d64g4h1_p64_normal_s1.safetensors"));
  CHECK(right.code == 0);
  CHECK_THAT(right.text, Contains("RIGHT"));
}

TEST_CASE("replay: what is no recording exits 2 before anything is printed", "[cli]") {
  for (const char* arguments : {"replay /nowhere", "replay CMakeLists.txt", "replay"}) {
    const Answer answer = xqacheck(arguments);
    CHECK(answer.code == 2);
    CHECK(answer.text.find("EQUAL") == std::string::npos);
  }
  const Answer arch = xqacheck("replay --arch sm_80 " + recorded(""));
  CHECK(arch.code == 2);
  CHECK_THAT(arch.text, Contains("no matrix instruction of sm_80 takes e4m3"));
  CHECK(arch.text.find("EQUAL") == std::string::npos);
}

TEST_CASE("verify --record writes recordings that replay gives back bit for bit", "[cli]") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("recorded-" + std::to_string(getpid()));
  const Answer verify = xqacheck("verify --kernel emu-qgmma --property golden --record " + folder.string() +
                                 " --case \"xqa/1 heads=16/2 len=65,300 kv=e4m3 sinks=2\""
                                 " --case \"xqa/1 heads=8/1 dim=96 len=200 kv=e4m3 draft=4 mask=random @ plan=3\"");
  CHECK(verify.code == 0);
  CHECK_THAT(verify.text, Contains("2 runs of emu-qgmma recorded"));
  const Answer replay = xqacheck("replay " + folder.string());
  CHECK(replay.code == 0);
  CHECK_THAT(replay.text, Contains("2 recordings, 0 different") && Contains("gmma sm_90"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("replay: calls of mmha recorded on an H200 have every bit of the emulator", "[cli]") {
  const Answer equal = xqacheck("replay " + recorded("mmha-h200-2026-11-30.calls.jsonl"));
  CHECK(equal.code == 0);
  CHECK_THAT(equal.text, Contains("mmha sm_90") && Contains("90 recordings, 0 different"));
}
