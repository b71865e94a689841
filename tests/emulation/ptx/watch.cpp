// Tools to trace a finding: chains of inlined calls, watched bytes, lists of known findings.
#include "emulation/ptx/watch/watch.hpp"

#include <cstdlib>

#include "emulation/ptx/check/checker.hpp"
#include "emulation/ptx/known/known.hpp"
#include "emulation/ptx/schedule/schedule.hpp"
#include "tests/catch.hpp"
#include "tests/emulation/ptx/small_kernel.hpp"

namespace {

using namespace xqacheck::ptx;
using namespace xqacheck::ptx::test;

const char* const kFiles =
    ".file 1 \"/src/k.cu\"\n.file 2 \"/src/h.cuh\"\n.file 3 \"/src/asm.h\"\n"
    ".shared .align 16 .b8 s[64];\n";
// Line 5 of h.cuh and line 9 of asm.h below it, inlined at line 20 of k.cu.
const char* const kStore =
    ".loc 1 20 1\nmov.u32 %r1, s;\n"
    ".loc 2 5 3, function_name $L__info_string0, inlined_at 1 20 1\n"
    ".loc 3 9 1, function_name $L__info_string1, inlined_at 2 5 3\n"
    "st.shared.u32 [%r1], %n;\n"
    ".loc 1 21 1\n";

struct Watched {
  std::vector<std::string> lines;
  std::vector<Finding> findings;
};

// One CTA of `threads` with n = 7; `range` is watched.
Watched run(const std::string& body, const std::string& range, std::uint32_t threads = 1) {
  Watched result;
  WatchRange parsed;
  std::string why;
  REQUIRE(parse_watch(range, parsed, why));
  Machine machine;
  Checker checker;
  Watch watch(machine, checker, {parsed}, [&](const std::string& line) { result.lines.push_back(line); });
  machine.set_monitor(&watch);
  const auto schedule = make_schedule({ScheduleKind::round_robin, 0});
  machine.set_schedule(schedule.get());
  LoadedModule module(machine, parse(kernel_text(body, kFiles), "test.ptx"));
  const std::uint64_t out = machine.memory().allocate(256, 256, "out");
  const std::uint32_t first = 5, n = 7;
  std::memcpy(machine.memory().at(out, 4), &first, 4);
  watch.allocated({"out", out, 256, false, true});
  Launch launch;
  launch.program = module.kernel("kernel");
  launch.grid = {1, 1, 1}, launch.block = {threads, 1, 1};
  launch.parameters.resize(12);
  std::memcpy(launch.parameters.data(), &out, 8);
  std::memcpy(launch.parameters.data() + 8, &n, 4);
  machine.run({launch});
  watch.flush();
  result.findings = checker.findings();
  for (std::string& line : result.lines) {  // the line of the PTX is that of kernel_text, no business of these tests
    const std::size_t at = line.find(" (ptx line ");
    if (at != std::string::npos) line.erase(at, line.find(')', at) + 1 - at);
  }
  return result;
}

TEST_CASE("watched bytes: who reads and writes them, where, and what they become") {
  const Watched result =
      run(std::string(kStore) + "ld.shared.u32 %r0, [%r1];\n.loc 1 22 1\nst.shared.u8 [%r1+5], %n;", "shared+0:4");
  CHECK(result.lines ==
        std::vector<std::string>{"watch shared + 0, 4 bytes: cta 0 warp 0 lanes 0x00000001 write asm.h:9 < h.cuh:5 < "
                                 "k.cu:20: 00000000 -> 07000000",
                                 "watch shared + 0, 4 bytes: cta 0 warp 0 lanes 0x00000001 read k.cu:21: 07000000"});
}

TEST_CASE("watched bytes of a buffer, and the landing of a copy") {
  const Watched buffer =
      run(".loc 1 30 1\nst.global.u32 [%out], %n;\natom.global.add.u32 %r0, [%out], %n;", "cta0:out+0:4");
  CHECK(buffer.lines ==
        std::vector<std::string>{
            "watch out + 0, 4 bytes: cta 0 warp 0 lanes 0x00000001 write k.cu:30: 05000000 -> 07000000",
            "watch out + 0, 4 bytes: cta 0 warp 0 lanes 0x00000001 atomic k.cu:30: 07000000 -> 0e000000"});
  CHECK(run("st.global.u32 [%out], %n;", "cta1:out+0:4").lines.size() == 0);
  const Watched copy =
      run(".loc 1 40 1\nmov.u32 %r1, s;\ncp.async.ca.shared.global [%r1], [%out], 4;\n"
          "cp.async.wait_all;\n",
          "shared+0:4");
  CHECK(copy.lines ==
        std::vector<std::string>{
            "watch shared + 0, 4 bytes: cta 0 warp 0 lanes 0x00000001 issues a copy to here k.cu:40: 00000000",
            "watch shared + 0, 4 bytes: cta 0: an asynchronous copy has landed: 00000000 -> 05000000"});
}

TEST_CASE("ranges to watch that say nothing are refused") {
  WatchRange range;
  std::string why;
  for (const char* text : {"", "+4", "shared+x", "shared+0:0", "shared+0:1000", "ctax:shared+0", "shared+0:4x",
                           "shared+18446744073709551612:8"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_watch(text, range, why));
    CHECK(why.find("[ctaN:]NAME+OFFSET:BYTES") != std::string::npos);
  }
  REQUIRE(parse_watch("cta3:scratch+128:16", range, why));
  CHECK(to_text(range) == "cta3:scratch+128:16");
}

// The store of kStore by every thread, then a read by all: a race of two lanes with themselves and each other.
Finding a_race() {
  const auto findings = run(std::string(kStore) + "ld.shared.u32 %r0, [%r1];", "shared+60:4", 64).findings;
  for (const Finding& finding : findings)
    if (finding.kind == FindingKind::race && finding.source_line == 21) return finding;
  FAIL("no race");
  return {};
}

TEST_CASE("a finding tells the calls around each of its two instructions") {
  const Finding race = a_race();
  CHECK(race.calls.empty());
  CHECK(chain_text(race.other_file, race.other_line, race.other_calls) == "asm.h:9 < h.cuh:5 < k.cu:20");
  CHECK(to_text(race).find("asm.h:9 < h.cuh:5 < k.cu:20 (ptx line ") != std::string::npos);
}

std::string list_of(const std::string& entry) {
  return R"({"known-findings": 1, "kernel": "kernel", "entries": [)" + entry + "]}";
}

TEST_CASE("known findings: by kind, memory and the lines of both instructions, either way round, calls included") {
  const Finding race = a_race();
  const auto matches = [&](const std::string& entry) {
    KnownFindings list(list_of(entry), "list.json");
    const bool found = list.match(race) != nullptr;
    CHECK(list.entries()[0].seen == (found ? race.count : 0));
    return found;
  };
  CHECK(matches(R"({"kind": "race", "memory": "shared", "at": "k.cu:21", "other": "k.cu:20", "reason": "r"})"));
  CHECK(
      matches(R"({"kind": ["misaligned", "race"], "at": ["x.cu:1", "h.cuh:3-6"], "other": "k.cu:21", "reason": "r"})"));
  CHECK_FALSE(matches(R"({"kind": "misaligned", "at": "k.cu:21", "other": "k.cu:20", "reason": "r"})"));
  CHECK_FALSE(matches(R"({"kind": "race", "memory": "out", "at": "k.cu:21", "other": "k.cu:20", "reason": "r"})"));
  CHECK_FALSE(matches(R"({"kind": "race", "at": "k.cu:21", "other": "k.cu:22", "reason": "r"})"));
  CHECK_FALSE(
      matches(R"({"kind": "race", "at": "k.cu:20", "other": "asm.h:9", "reason": "r"})"));  // one place is not two
  CHECK_FALSE(matches(R"({"kind": "race", "at": "k.cu:21", "reason": "r"})"));
  KnownFindings elsewhere(R"({"known-findings": 1, "kernel": "other", "entries": [
    {"kind": "race", "at": "k.cu:21", "other": "k.cu:20", "reason": "r"}]})",
                          "list.json");
  CHECK(elsewhere.match(race) == nullptr);
}

TEST_CASE("lists of known findings that are wrong are refused with the place and the fix") {
  const auto why = [](const std::string& text) -> std::string {
    try {
      KnownFindings list(text, "list.json");
    } catch (const PtxError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(why("{") == "list.json: this is not JSON with an object at its top");
  CHECK(why(R"({"entries": []})") == "list.json: \"known-findings\": 1 is missing: it tells the version of the format");
  CHECK(why(list_of(R"({"kind": "rase", "at": "a:1", "reason": "r"})"))
            .find("list.json: entries[0]: kind 'rase': there are out-of-bounds, ") == 0);
  CHECK(why(list_of(R"({"kind": "race", "reason": "r"})")) == "list.json: entries[0]: at is missing");
  CHECK(why(list_of(R"({"kind": "race", "at": "a.cu", "reason": "r"})")) ==
        "list.json: entries[0]: at 'a.cu': FILE:LINE or FILE:FIRST-LAST is expected");
  CHECK(why(list_of(R"({"kind": "race", "at": "a.cu:9-3", "reason": "r"})")) ==
        "list.json: entries[0]: at 'a.cu:9-3': FILE:LINE or FILE:FIRST-LAST is expected");
  CHECK(why(list_of(R"({"kind": "race", "at": "/x/a.cu:9", "reason": "r"})")).find("without its folders") !=
        std::string::npos);
  CHECK(why(list_of(R"({"kind": "race", "at": "a.cu:9"})")) == "list.json: entries[0]: reason is missing");
  CHECK(why(list_of(R"({"kind": "race", "at": "a.cu:9", "reason": "r", "line": 3})")) ==
        "list.json: entries[0]: unknown key 'line'; there are kind, memory, at, other, reason");
}

TEST_CASE("the list for the public mma.sync kernel can be read") {
  const char* source = std::getenv("XQACHECK_SOURCE_DIR");
  REQUIRE(source != nullptr);
  CHECK(KnownFindings::read(std::string(source) + "/fixtures/ptx/public-hmma-known.json").entries().size() >= 5);
  CHECK_THROWS_WITH(KnownFindings::read("/no/such.json"), "/no/such.json: cannot be read");
  CHECK_THROWS_WITH(KnownFindings::read("/tmp"), "/tmp: is a folder; name a file");
}

}  // namespace
