// Verdicts of every status, for tests of what is written about them.
#pragma once

#include "properties/report/header.hpp"
#include "properties/report/tally.hpp"
#include "properties/verdict.hpp"
#include "reference/run_line.hpp"

namespace xqacheck::tests {

inline properties::Verdict sample(properties::Status status, const std::string& property, const std::string& kind,
                                  const std::string& message) {
  properties::Verdict verdict;
  verdict.status = status, verdict.property = property, verdict.kind = kind, verdict.message = message;
  verdict.run_line = "xqa/1 heads=4/2 len=65 seed=7 @ kernel=flash32 prop=" + property + " tool=0.1";
  verdict.subject = reference::parse_run_line(verdict.run_line).subject;
  verdict.route = {"flash32", "1", "host", 2};
  verdict.elements = 512;
  verdict.seconds = 0.25;
  verdict.out_hash = 0x0123456789abcdef;
  return verdict;
}

inline properties::Verdict failed_sample() {
  using properties::ErrorMap;
  using properties::Status;
  properties::Verdict verdict =
      sample(Status::failed, "golden", "value", "elements are outside of the bound that no correct kernel exceeds");
  verdict.bad_elements = 3;
  verdict.bound_used = 41.5;
  verdict.evidence.push_back({0, 0, 3, 17, 0.5, 0.25, 0.001953125, 128, 9, 64, 1, 1});
  verdict.evidence.push_back({0, 0, 3, 18, std::numeric_limits<double>::quiet_NaN(), -1, 0.001953125,
                              std::numeric_limits<double>::infinity()});
  verdict.error = {0.125, 0.0009765625, 0.001953125, 0.5, std::numeric_limits<double>::quiet_NaN()};
  verdict.maps.push_back({"head", "dim", 4, 32, 2, 3, {0.25, 0.5, ErrorMap::kNothing, 1, 128.456, HUGE_VAL}});
  verdict.notes = {"bad elements lie in requests 0, rows 0, heads 3, channels 17 to 19"};
  return verdict;
}

inline std::vector<properties::Verdict> all_samples() {
  using properties::Status;
  std::vector<properties::Verdict> samples = {
      failed_sample(),
      sample(Status::passed, "golden", "", ""),
      sample(Status::crashed, "guard", "signal 11",
             "with unmapped memory right behind every buffer: signal 11 (SIGSEGV) in run()"),
      sample(Status::hung, "golden", "time-out", "no answer within 30 s in run()"),
      sample(Status::unsupported, "golden", "", "head_dim 80: multiples of 64 only"),
      sample(Status::mistrusted, "golden", "", "zero is expected everywhere"),
      sample(Status::known, "golden", "value", "known failure, see ledger entry 12"),
  };
  samples[1].bound_used = 0.375;
  return samples;
}

inline properties::RunHeader sample_header() {
  properties::RunHeader header;
  header.command = {"xqacheck", "verify", "--cases", "7"};
  header.seed = 3, header.cases = 7, header.jobs = 2;
  header.properties = {"golden", "guard"};
  header.kernels = {{"flash32", "1", "host", "flash32 x86", "built-in"}};
  header.left_out = {"flash32: skip: skip-softmax is not implemented"};
  header.host = "example", header.started = "2026-01-31T12:00:00Z";
  return header;
}

}  // namespace xqacheck::tests
