// No property fails a correct kernel: flash32 in fp32, and the noisy kernels, which round as GPU kernels do (16-bit and
// e4m3 weights, truncating accumulators, 16-bit partials).
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "properties/campaign.hpp"
#include "properties/generate.hpp"
#include "properties/isolation/process_runner.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::properties;

namespace {

// What went wrong, collected: results arrive on several threads, and Catch2 takes assertions on one.
std::vector<std::string>& alarms() {
  static std::vector<std::string> all;
  return all;
}

void check_no_alarm() {
  for (const std::string& alarm : alarms()) FAIL_CHECK(alarm);
  alarms().clear();
}

// Judges `cases` random cases of `seed` by every property, on two workers; returns how many (case, property) runs were
// judged.
std::uint64_t judge_all(const std::string& kernel, std::uint64_t seed, std::uint32_t cases) {
  Runners runners;
  for (int i = 0; i < 2; ++i)
    runners.push_back(
        std::make_unique<ProcessRunner>(std::string(std::getenv("XQACHECK_BIN")) + "/../lib/plugins/" + kernel));
  const Profile profile = probe_profile(*runners.front());
  const auto all = all_properties();
  CampaignPlan plan;
  plan.properties = {all.begin(), all.end()};
  for (std::uint64_t index = 0; index < cases; ++index) plan.numbers.push_back(index);
  plan.case_number = [&](std::uint64_t index) {
    xqacheck::reference::RunLine line;
    line.subject = draw_case(seed, index, profile);
    return line;
  };
  std::uint64_t judged = 0;
  run_campaign(plan, runners, [&](const CaseResult& result) {
    for (const Verdict& verdict : result.verdicts) {
      judged += verdict.status != Status::unsupported;
      if (!is_failure(verdict.status)) continue;
      alarms().push_back(kernel + ": " + verdict.run_line + ": " + verdict.message);
    }
    return true;
  });
  return judged;
}

constexpr const char* kCorrect[] = {"faults.so:right",      "noisy.so:noisy-bf16p",  "noisy.so:noisy-fp16p",
                                    "noisy.so:noisy-e4m3p", "noisy.so:noisy-part16", "noisy.so:noisy-hmma",
                                    "noisy.so:noisy-qgmma"};

// 7 kernels, 270 cases, more than 11 properties that judge a host kernel: above 20,000 runs in the six parts.
void judge_part(std::uint64_t seed) {
  constexpr std::uint32_t kCases = 45;
  std::uint64_t judged = 0;
  for (const char* kernel : kCorrect) judged += judge_all(kernel, seed, kCases);
  std::printf("%llu (case, property) runs judged\n", static_cast<unsigned long long>(judged));
  check_no_alarm();
  CHECK(judged > 3000);
}

}  // namespace

TEST_CASE("no property fails a correct kernel") {
  for (const char* kernel : kCorrect) CHECK(judge_all(kernel, 77, 2) > 0);
  check_no_alarm();
}

TEST_CASE("no property fails a correct kernel, part 1 of 20,000 runs", "[nightly][alarms1]") {
  judge_part(101);
}

TEST_CASE("no property fails a correct kernel, part 2 of 20,000 runs", "[nightly][alarms2]") {
  judge_part(102);
}

TEST_CASE("no property fails a correct kernel, part 3 of 20,000 runs", "[nightly][alarms3]") {
  judge_part(103);
}

TEST_CASE("no property fails a correct kernel, part 4 of 20,000 runs", "[nightly][alarms4]") {
  judge_part(104);
}

TEST_CASE("no property fails a correct kernel, part 5 of 20,000 runs", "[nightly][alarms5]") {
  judge_part(105);
}

TEST_CASE("no property fails a correct kernel, part 6 of 20,000 runs", "[nightly][alarms6]") {
  judge_part(106);
}
