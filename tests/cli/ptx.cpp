// xqacheck ptx: findings with their source lines, lists of known ones, watched bytes, delays; exit codes and messages.
#include <cstdlib>
#include <string>

#include "tests/catch.hpp"
#include "tests/cli/tool.hpp"

using namespace xqacheck::tests;
using Catch::Matchers::Contains;

namespace {

std::string fixture(const std::string& name) {
  const char* root = std::getenv("XQACHECK_SOURCE_DIR");
  return std::string(root != nullptr ? root : ".") + "/fixtures/" + name;
}

// A folder with the launch of a twin: 64 threads, out and scratch uninitialised, input of ones.

class Twin : public Workplace {
 public:
  explicit Twin(const std::string& kernel) {
    write("launch.json", R"({"kernel": ")" + kernel + R"(", "block": 64, "buffers": {
        "out": {"bytes": 256}, "in": {"bytes": 256, "u32": 1, "read_only": true}, "scratch": {"bytes": 2048}},
      "arguments": [{"buffer": "out"}, {"buffer": "in"}, {"buffer": "scratch"}]})");
  }
  ToolResult run_twin(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"ptx", "run", fixture("ptx/twins/race_between_warps.ptx"), "--launch",
                                       path("launch.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  void know(const std::string& entries) const {
    write("known.json", R"({"known-findings": 1, "entries": [)" + entries + "]}");
  }
};

// Lines 8 and 9 of the twin: the store, and the read by the other warp.
const std::string kRace =
    R"({"kind": ["race", "uninitialised"], "memory": "shared", "at": "race_between_warps.cu:9",
        "other": "race_between_warps.cu:8", "reason": "the twin lacks a barrier"})";
const std::string kHole =
    R"({"kind": "uninitialised", "memory": "shared", "at": "race_between_warps.cu:9", "reason": "the first warp reads early"})";

}  // namespace

TEST_CASE("a finding fails with its source line; a list that knows it does not") {
  const Twin broken("broken");
  const ToolResult plain = broken.run_twin({});
  CHECK(plain.exit == 1);
  CHECK_THAT(plain.out, Contains("race: broken race_between_warps.cu:"));

  broken.know(kRace + "," + kHole);
  const ToolResult known = broken.run_twin({"--known", broken.path("known.json"), "--schedules", "5"});
  CHECK_THAT(known.out, Contains("0 findings (+") && Contains("the twin lacks a barrier") && !Contains("never seen"));

  broken.know(kHole);
  const ToolResult partly = broken.run_twin({"--known", broken.path("known.json")});
  CHECK(partly.exit == 1);
  CHECK_THAT(partly.out, Contains("race: broken race_between_warps.cu:") && Contains("the first warp reads early"));
}

TEST_CASE("a known list on a kernel without faults: exit 0, and the entries that never occurred are named") {
  const Twin correct("correct");
  correct.know(kRace);
  const ToolResult result = correct.run_twin({"--known", correct.path("known.json"), "--schedules", "3"});
  CHECK(result.exit == 0);
  CHECK_THAT(result.out,
             Contains("known, but never seen in this run: race, uninitialised in shared at race_between_warps.cu:9 "
                      "with race_between_warps.cu:8"));
}

TEST_CASE("watched bytes are told with the line that touches them") {
  const Twin correct("correct");
  // The module holds `broken` first: the shared memory of `correct` begins at 256, its second warp's half at 384.
  const ToolResult result = correct.run_twin({"--watch", "out+4:4", "--watch", "shared+384:4"});
  CHECK(result.exit == 0);
  CHECK_THAT(result.out,
             Contains("watch out + 4, 4 bytes: cta 0 warp 0 lanes 0x00000002 write race_between_warps.cu:17"));
  CHECK_THAT(result.out, Contains("-> 01000000"));
  CHECK_THAT(result.out,
             Contains("watch shared + 384, 4 bytes: cta 0 warp 1 lanes 0x00000001 write race_between_warps.cu:15"));
  CHECK_THAT(result.out,
             Contains("watch shared + 384, 4 bytes: cta 0 warp 0 lanes 0x00000001 read race_between_warps.cu:17"));
}

TEST_CASE("options that make no sense are refused with the reason") {
  const Twin correct("correct");
  const auto refused = [&](std::vector<std::string> more, const std::string& message) {
    const ToolResult result = correct.run_twin(std::move(more));
    CHECK(result.exit == 2);
    CHECK_THAT(result.err, Contains(message));
  };
  refused({"--watch", "shared-4"}, "watch shared-4+0:4: no memory of that name holds these bytes");
  refused({"--watch", "shared+4x"}, "--watch 'shared+4x': [ctaN:]NAME+OFFSET:BYTES is expected");
  refused({"--watch", "shared+0:4", "--no-checks"}, "--watch needs the checks");
  refused({"--known", correct.path("no-such.json")}, "no-such.json: cannot be read");
  refused({"--known", correct.path("launch.json")},
          "launch.json: unknown key 'arguments'; there are known-findings, kernel, source, entries");
  refused({"--known", "/tmp"}, "/tmp: is a folder; name a file");
  refused({"--schedules", "0"}, "--schedules: Value 0 not in range 1 to 100000");
  refused({"--schedule", "randm"}, "--schedule: schedule 'randm': no such name; there are in_order");
}

TEST_CASE("ptx confirm: wrong delays and recordings are told before a device is opened") {
  const Workplace place;
  const std::string ptx = fixture("ptx/twins/race_between_warps.ptx");
  const auto refused = [&](const std::string& recording, const std::string& delay, const std::string& message) {
    const ToolResult result = place.run({"ptx", "confirm", recording, "--ptx", ptx, "--delay", delay});
    CHECK(result.exit == 2);
    CHECK_THAT(result.err, Contains(message));
  };
  const std::string hmma = fixture("recorded/028_hmma_bf16_i8_d128g8h1_p32_ints_s3.safetensors");
  refused(hmma, "5=100@77", "--delay '5=100@77': LINE=NANOSECONDS or LINE=NANOSECONDS@WARP,WARP is expected");
  refused(hmma, "1=100", "no instruction begins in line 1: none can be delayed");
  refused(fixture("recorded/007_hgmma_bf16_kv16_d256g1h1_p64_ties_s3.safetensors"), "5=100",
          "a recording of kernel hgmma; one of hmma is needed");
}
