// Every way of not returning: the right status, the right sentence, the next case runs, nothing is left.
#include <algorithm>
#include <regex>
#include <string>

#include "properties/isolation/process_runner.hpp"
#include "tests/catch.hpp"
#include "tests/properties/isolation/hand_problem.hpp"
#include "tests/properties/isolation/process_census.hpp"

using namespace xqacheck;
using namespace xqacheck::properties;

namespace {

struct Expectation {
  const char* kernel;
  RunStatus status;
  const char* why;  // offsets into the plug-in are written as +0x
};

std::string without_offsets(const std::string& text) {
  return std::regex_replace(text, std::regex("\\+0x[0-9a-f]+"), "+0x");
}

constexpr RunStatus kCrashed = RunStatus::crashed;
constexpr RunStatus kHung = RunStatus::hung;
constexpr RunStatus kError = RunStatus::error;

const Expectation kCrashes[] = {
    {"segfault", kCrashed, "SIGSEGV in run(): write at address 0x0 (a null pointer), at crashing.so+0x"},
    {"abort", kCrashed, "SIGABRT in run()"},
    {"loop", kHung, "no answer within 0.3 s, in run()"},
    {"exit", kCrashed, "the kernel called exit(0) in run()"},
    {"_exit", kCrashed, "the kernel called _exit(0) in run()"},
    {"throw", kCrashed, "run() threw a C++ exception (\"no tile fits\") through the C interface"},
    {"throw-int", kCrashed, "run() threw a C++ exception that is no std::exception through the C interface"},
    {"bad-alloc", kCrashed, "out of memory in run(): std::bad_alloc came through the C interface"},
    {"kill-itself", kCrashed,
     "killed by SIGKILL in run() (sent by the kernel itself or by the system when memory ran out)"},
    {"stop-itself", kHung, "stopped by SIGSTOP in run()"},
    {"divide", kCrashed, "SIGFPE in run(): integer division by zero, at crashing.so+0x"},
    {"trap", kCrashed, "SIGILL in run(): illegal instruction, at crashing.so+0x"},
    {"stack-overflow", kCrashed, "SIGSEGV in run(): stack overflow, at crashing.so+0x"},
    {"send-segv", kCrashed, "SIGSEGV in run()"},
    {"segfault-in-thread", kCrashed,
     "SIGSEGV in run(): write at address 0x0 (a null pointer), at crashing.so+0x, in a thread of the kernel"},
    {"throw-in-thread", kCrashed,
     "SIGABRT in run(): in a thread of the kernel; it printed: terminate called after throwing an instance of "
     "'std::runtime_error'\n  what():  thread failed"},
    {"say-and-abort", kCrashed, "SIGABRT in run(); it printed: tile 3: assertion failed"},
    {"block-and-segfault", kCrashed,
     "killed by SIGSEGV in run() (no handler could run: a stack overflow in a thread, or a blocked signal)"},
    {"block-and-loop", kHung, "no answer within 0.3 s, in run()"},
    {"crash-in-supports", kCrashed, "SIGSEGV in supports(): write at address 0x0 (a null pointer), at crashing.so+0x"},
    {"crash-in-prepare", kCrashed, "SIGSEGV in prepare(): write at address 0x0 (a null pointer), at crashing.so+0x"},
    {"crash-in-workspace", kCrashed,
     "SIGSEGV in workspace(): write at address 0x0 (a null pointer), at crashing.so+0x"},
    {"crash-in-split-plan", kCrashed,
     "SIGSEGV in split_plan(): write at address 0x0 (a null pointer), at crashing.so+0x"},
    {"crash-in-destroy", kCrashed, "SIGSEGV in destroy(): write at address 0x0 (a null pointer), at crashing.so+0x"},
    {"sleep-in-destroy", kHung, "no answer within 0.3 s, in destroy()"},
    {"exit-in-destroy", kCrashed, "the kernel called exit(3) in destroy()"},
    {"strange-status", kError, "run() returned 42, which is no xqacheck_status"},
    {"unsupported-in-run", kError, "run() says UNSUPPORTED after supports() said OK"},
    {"odd-alignment", kError, "workspace() asks for scratch_align = 3; it must be a power of two up to 2097152"},
    {"endless-workspace", kError,
     "workspace() asks for scratch_bytes = 18446744073709551615; no more than 8589934592 can be had"},
    {"silent-no", RunStatus::unsupported, "supports() gave no reason"},
};

}  // namespace

TEST_CASE("each way of failing gets its status and its sentence, and the next case runs") {
  const tests::ProcessCensus census;
  const int descriptors = tests::open_descriptors();
  const reference::Problem problem = tests::hand_problem();
  for (const Expectation& expected : kCrashes) {
    RunOptions options;
    // Short only where the limit is waited for: a loaded machine may take long for everything else.
    options.timeout_seconds = std::string(expected.why).find("no answer") == 0 ? 0.3 : 60;
    INFO(expected.kernel);
    ProcessRunner runner(XQACHECK_TEST_PLUGINS "/crashing.so:" + std::string(expected.kernel));
    // Twice: the second run shows that a new worker takes over, and that the verdict does not depend on what came
    // before.
    for (int run = 0; run < 2; ++run) {
      const Outcome outcome = runner.run(problem, options);
      CHECK(outcome.status == expected.status);
      CHECK(without_offsets(outcome.why) == expected.why);
      CHECK(outcome.out.empty());
      CHECK(outcome.route.kernel == expected.kernel);
    }
  }
  CHECK(census.others(20) == 0);
  CHECK(tests::open_descriptors() == descriptors);
}

TEST_CASE("a kernel that ends its thread ends in a verdict") {
  const tests::ProcessCensus census;
  {
    RunOptions options;
    options.timeout_seconds = 1;
    ProcessRunner runner(XQACHECK_TEST_PLUGINS "/crashing.so:exit-thread");
    const Outcome outcome = runner.run(tests::hand_problem(), options);
    INFO(outcome.why);
    CHECK((outcome.status == kCrashed || outcome.status == kHung));
  }
  CHECK(census.others(20) == 0);
}

TEST_CASE("the text of a refusal may fill its buffer but not overrun it") {
  const reference::Problem problem = tests::hand_problem();
  ProcessRunner full(XQACHECK_TEST_PLUGINS "/crashing.so:unterminated-why");
  const Outcome refused = full.run(problem, {});
  CHECK(refused.status == RunStatus::unsupported);
  CHECK(refused.why == std::string(256, 'x') + " … (no terminating NUL)");

  ProcessRunner over(XQACHECK_TEST_PLUGINS "/crashing.so:overrun-why");
  const Outcome crashed = over.run(problem, {});
  CHECK(crashed.status == kCrashed);
  CHECK_THAT(crashed.why, Catch::Contains("SIGSEGV in supports(): write 1 byte past the end of why (size 4096)"));
}

TEST_CASE("a crash is charged to the case that was running, not to its neighbours") {
  const tests::ProcessCensus census;
  {
    ProcessRunner runner(XQACHECK_TEST_PLUGINS "/unruly.so:die-later");
    const reference::Problem problem = tests::hand_problem();
    std::string statuses;
    // Every third call of a worker's life. The crash does not come again in the new worker, which then has one call
    // behind it.
    for (int i = 0; i < 7; ++i) {
      const Outcome outcome = runner.run(problem, {});
      statuses += outcome.status == RunStatus::ok ? '.' : 'X';
      if (outcome.status != RunStatus::ok)
        CHECK(outcome.why ==
              "SIGABRT in run(); a new worker did not crash on this case: one of those before it, or chance, has a "
              "part in it");
    }
    CHECK(statuses == "..X.X.X");
    CHECK(runner.workers_started() == 4);
  }
  CHECK(census.others(20) == 0);
}

TEST_CASE("with `fresh` every case has a worker of its own") {
  ProcessRunner runner(XQACHECK_TEST_PLUGINS "/unruly.so:die-later", {.fresh = true});
  const reference::Problem problem = tests::hand_problem();
  for (int i = 0; i < 5; ++i) CHECK(runner.run(problem, {}).status == RunStatus::ok);
  CHECK(runner.workers_started() == 5);
}
