// One byte too many, at either end of every kind of buffer: found in the first case that does it, and named.
#include <regex>
#include <string>

#include "properties/isolation/process_runner.hpp"
#include "reference/case_line.hpp"
#include "reference/problem.hpp"
#include "tests/catch.hpp"
#include "tests/properties/isolation/hand_problem.hpp"

using namespace xqacheck;
using namespace xqacheck::properties;

namespace {

const std::string kTouching = XQACHECK_TEST_PLUGINS "/touching.so:";

struct Buffer {
  const char* name;       // in the kernel's name and in the message
  const char* case_line;  // a case that has it
};

// k and v apart; all index tensors, masks, scales, beams and RoPE inputs once.
constexpr const char* kDrafts =
    "xqa/1 heads=4/2 dim=16 len=21,9 page=8 draft=3,2 mask=tree tree=0,1,1/0,1 lse=1 kscale=0.5 kv=e4m3";
constexpr const char* kBeams = "xqa/1 heads=2/1 dim=16 len=21,9 page=8 beam=2/4 sinks=1";
constexpr const char* kRope = "xqa/1 heads=2/1 dim=16 len=21,9 page=8 rope=neox bias=1";
constexpr const char* kScales = "xqa/1 heads=2/1 dim=16 len=9 page=8 kv=e4m3 out=e4m3 qscale=0.5 vscale=0.25 rcpout=2";
// One tensor for K and V, no pages, and MLA.
constexpr const char* kPool = "xqa/1 heads=2/1 dim=16 len=21,9 page=8 layout=pool";
constexpr const char* kContiguous = "xqa/1 heads=2/1 dim=16 len=21,9 page=0";
constexpr const char* kMla = "xqa/1 heads=2/1 dim=576/512 len=21,9 page=8";
constexpr Buffer kInputs[] = {
    {"q", kDrafts},
    {"k", kDrafts},
    {"v", kDrafts},
    {"page_table", kDrafts},
    {"seq_lens", kDrafts},
    {"mask", kDrafts},
    {"depths", kDrafts},
    {"row_offsets", kDrafts},
    {"k_scale", kDrafts},
    {"sinks", kBeams},
    {"beam_index", kBeams},
    {"beam_context", kBeams},
    {"rope_table", kRope},
    {"k_new", kRope},
    {"v_new", kRope},
    {"qkv_bias", kRope},
    {"q_scale", kScales},
    {"v_scale", kScales},
    {"rcp_out_scale", kScales},
    {"k", kContiguous},
    {"v", kContiguous},
    {"k", kPool},
    {"k", kMla},
};
constexpr Buffer kOutputs[] = {{"out", kDrafts}, {"lse", kDrafts}, {"scratch", kDrafts}, {"state", kDrafts}};

reference::Problem problem_of(const char* line) {
  return reference::make_problem(reference::parse_case(line));
}

Outcome touch(const std::string& kernel, const char* line, Placement place) {
  ProcessRunner runner(kTouching + kernel);
  RunOptions options;
  options.place = place;
  return runner.run(problem_of(line), options);
}

void check_fault(const Outcome& outcome, const std::string& sentence) {
  CHECK(outcome.status == RunStatus::crashed);
  CHECK_THAT(outcome.why, Catch::StartsWith("SIGSEGV in run(): " + sentence));
}

}  // namespace

TEST_CASE("a read of one byte past or before any buffer is a fault that names it") {
  for (const auto& buffers : {std::vector<Buffer>(std::begin(kInputs), std::end(kInputs)),
                              std::vector<Buffer>(std::begin(kOutputs), std::end(kOutputs))})
    for (const Buffer& buffer : buffers) {
      const std::string name = buffer.name;
      INFO(name);
      check_fault(touch("read-past-" + name, buffer.case_line, Placement::end),
                  "read 1 byte past the end of " + name + " (size ");
      check_fault(touch("read-before-" + name, buffer.case_line, Placement::begin),
                  "read 1 byte before the start of " + name + ", at touching.so+0x");
    }
}

TEST_CASE("a write of one byte past or before any output is a fault that names it") {
  for (const Buffer& buffer : kOutputs) {
    const std::string name = buffer.name;
    INFO(name);
    check_fault(touch("write-past-" + name, buffer.case_line, Placement::end),
                "write 1 byte past the end of " + name + " (size ");
    check_fault(touch("write-before-" + name, buffer.case_line, Placement::begin),
                "write 1 byte before the start of " + name);
  }
}

// Beside an input there may be a few bytes of its page that can be read, but none that can be written.
TEST_CASE("a write of one byte past or before any input is a fault, in every placement") {
  for (const Buffer& buffer : kInputs)
    for (const Placement place : {Placement::plain, Placement::end, Placement::begin})
      for (const char* side : {"write-past-", "write-before-"}) {
        INFO(side << buffer.name << " of " << buffer.case_line);
        const Outcome outcome = touch(side + std::string(buffer.name), buffer.case_line, place);
        INFO(outcome.why);
        CHECK(outcome.status == RunStatus::crashed);
      }
}

TEST_CASE("V of a pool ends where the pool ends") {
  check_fault(touch("read-past-v", kPool, Placement::end), "read 1 byte past the end of k (size ");
  check_fault(touch("read-before-k", kPool, Placement::begin), "read 1 byte before the start of k, at touching.so+0x");
}

TEST_CASE("a read past the end of the problem struct, as by a kernel of a newer header, is a fault") {
  for (const Placement place : {Placement::plain, Placement::end, Placement::begin})
    check_fault(touch("read-past-problem", kDrafts, place), "read 1 byte past the end of ");
}

TEST_CASE("in plain memory a write beside an output is damage at the right offset") {
  for (const Buffer& buffer : kOutputs) {
    const std::string name = buffer.name;
    INFO(name);
    const Outcome past = touch("write-past-" + name, buffer.case_line, Placement::plain);
    CHECK(past.status == RunStatus::ok);
    REQUIRE(past.damage.size() == 1);
    CHECK(past.damage[0].buffer == "after " + name);
    CHECK(past.damage[0].bytes == 1);
    if (name == "out") CHECK(past.damage[0].offset == static_cast<std::int64_t>(past.out.size()));
    if (name == "scratch") CHECK(past.damage[0].offset == 300);

    const Outcome before = touch("write-before-" + name, buffer.case_line, Placement::plain);
    CHECK(before.status == RunStatus::ok);
    REQUIRE(before.damage.size() == 1);
    CHECK(before.damage[0].buffer == "before " + name);
    CHECK(before.damage[0].offset == -1);
    CHECK(before.damage[0].bytes == 1);
  }
}

TEST_CASE("a write to an input is a fault that names it, in every placement") {
  for (const Buffer& buffer : kInputs)
    for (const Placement place : {Placement::plain, Placement::end, Placement::begin}) {
      const std::string name = buffer.name;
      INFO(name);
      const Outcome outcome = touch("write-" + name, buffer.case_line, place);
      CHECK(outcome.status == RunStatus::crashed);
      const std::regex sentence("SIGSEGV in run\\(\\): write to " + name +
                                " at byte 1 of [0-9]+, which is read-only, at touching.so\\+0x[0-9a-f]+");
      CHECK(std::regex_match(outcome.why, sentence));
      CAPTURE(outcome.why);
    }
}

TEST_CASE("a write into a stride gap of the output is damage") {
  ProcessRunner runner(XQACHECK_TEST_PLUGINS "/unruly.so:write-gap");
  for (const Fill fill : {Fill::zero, Fill::nan, Fill::huge, Fill::random}) {
    RunOptions options;
    options.output = fill;
    const Outcome outcome = runner.run(tests::hand_problem({.dim = 16, .out_gap = 3}), options);
    REQUIRE(outcome.damage.size() == 1);
    CHECK(outcome.damage[0].buffer == "gap of out");
    CHECK(outcome.damage[0].offset == 2 * 16 + 1);  // the second byte after the first head's 16 elements
    CHECK(outcome.damage[0].bytes == 1);
  }
}
