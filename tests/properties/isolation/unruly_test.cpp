// Kernels that return but leave processes, threads, output or state behind, and those that take all they can get.
#include <chrono>
#include <string>
#include <thread>

#include "properties/isolation/process_runner.hpp"
#include "tests/catch.hpp"
#include "tests/properties/isolation/hand_problem.hpp"
#include "tests/properties/isolation/process_census.hpp"

using namespace xqacheck;
using namespace xqacheck::properties;

namespace {

// Runs one kernel twice on one case; checks that nothing is left and gives the second outcome.
Outcome run_twice(const std::string& kernel, double timeout_seconds, ProcessOptions process = {}) {
  const tests::ProcessCensus census;
  const int descriptors = tests::open_descriptors();
  Outcome outcome;
  {
    ProcessRunner runner(XQACHECK_TEST_PLUGINS "/unruly.so:" + kernel, process);
    RunOptions options;
    options.timeout_seconds = timeout_seconds;
    runner.run(tests::hand_problem(), options);
    outcome = runner.run(tests::hand_problem(), options);
  }
  CHECK(census.others(20) == 0);
  CHECK(tests::open_descriptors() == descriptors);
  return outcome;
}

}  // namespace

TEST_CASE("a kernel that forks and returns on both sides") {
  const Outcome outcome = run_twice("fork-and-return", 60);
  CHECK(outcome.status == RunStatus::ok);  // the child ends as soon as it returns
}

TEST_CASE("a kernel that leaves a child running") {
  const Outcome outcome = run_twice("fork-sleeper", 60);
  CHECK(outcome.status == RunStatus::crashed);
  CHECK(outcome.why == "the kernel left 1 process running");
}

TEST_CASE("a kernel that leaves a daemon behind") {
  const Outcome outcome = run_twice("daemonise", 60);
  CHECK(outcome.status == RunStatus::crashed);
  CHECK(outcome.why == "the kernel left 1 process running");
}

TEST_CASE("a kernel that leaves a daemon behind and crashes") {
  const Outcome outcome = run_twice("daemonise-and-crash", 60);
  CHECK(outcome.status == RunStatus::crashed);
  CHECK(outcome.why == "SIGABRT in run(); 1 process that it had started had to be killed");
}

TEST_CASE("a fork bomb") {
  const Outcome outcome = run_twice("fork-bomb", 0.5);
  CHECK(outcome.status == RunStatus::hung);
  CHECK_THAT(outcome.why, Catch::StartsWith("no answer within 0.5 s, in run(); ") &&
                              Catch::EndsWith(" that it had started had to be killed"));
}

TEST_CASE("a kernel may start processes as long as it waits for them") {
  CHECK(run_twice("fork-and-reap", 60).status == RunStatus::ok);
}

TEST_CASE("a kernel that takes all memory") {
  // With the address sanitizer private memory cannot be limited: its shadow is private memory of terabytes.
#if defined(__SANITIZE_ADDRESS__)
  return;
#endif
  ProcessOptions process;
  process.data_limit = std::uint64_t{256} << 20;
  const Outcome outcome = run_twice("hog-memory", 30, process);
  CHECK(outcome.status == RunStatus::crashed);
  CHECK(outcome.why == "out of memory in run(): std::bad_alloc came through the C interface");
}

TEST_CASE("what a kernel prints does no harm") {
  const Outcome outcome = run_twice("print-garbage", 60);
  CHECK(outcome.status == RunStatus::ok);
  CHECK(outcome.why.empty());
}

TEST_CASE("a kernel that prints for ever is stopped in time, and a bounded tail is shown") {
  const Outcome outcome = run_twice("print-for-ever", 0.5);
  CHECK(outcome.status == RunStatus::hung);
  CHECK_THAT(outcome.why, Catch::StartsWith("no answer within 0.5 s, in run(); it printed: "));
  CHECK(outcome.why.size() < 1000);
}

TEST_CASE("a kernel that writes to every file descriptor") {
  const Outcome outcome = run_twice("write-everywhere", 60);
  CHECK(outcome.status == RunStatus::crashed);
  CHECK_THAT(outcome.why, Catch::StartsWith("worker protocol broken") &&
                              Catch::EndsWith(": the kernel wrote to a file descriptor that is not its own"));
}

TEST_CASE("a kernel that closes every file descriptor") {
  const Outcome outcome = run_twice("close-everything", 60);
  CHECK(outcome.status == RunStatus::crashed);
  CHECK(outcome.why == "worker protocol broken: the kernel closed file descriptors that are not its own");
}

TEST_CASE("a thread that still writes after run() has returned") {
  const Outcome outcome = run_twice("return-early", 60);
  CHECK(outcome.status == RunStatus::crashed);
  CHECK_THAT(outcome.why,
             Catch::StartsWith(
                 "SIGSEGV in the time after destroy(): write to out at byte 5 of 192 after run() had returned") &&
                 Catch::EndsWith(", in a thread of the kernel"));
}

TEST_CASE("a kernel that kills its process group") {
  const Outcome outcome = run_twice("kill-group", 60);
  CHECK(outcome.status == RunStatus::crashed);
  CHECK(outcome.why == "killed by SIGKILL in run() (sent by the kernel itself or by the system when memory ran out)");
}

TEST_CASE("a kernel that kills its supervisor") {
  const Outcome outcome = run_twice("kill-parent", 60);
  CHECK(outcome.status == RunStatus::crashed);
}

TEST_CASE("rounding and flush modes do not reach the next case") {
  ProcessRunner runner(XQACHECK_TEST_PLUGINS "/unruly.so:round-up");
  for (int i = 0; i < 3; ++i) {
    const Outcome outcome = runner.run(tests::hand_problem(), {});
    CHECK(outcome.status == RunStatus::ok);
    CHECK(outcome.why.empty());
  }
}

TEST_CASE("threads that are started and joined in every run cost no waiting") {
  ProcessRunner runner(XQACHECK_TEST_PLUGINS "/unruly.so:join-threads");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 300; ++i) REQUIRE(runner.run(tests::hand_problem(), {}).status == RunStatus::ok);
  // 300 waits for stragglers would take 30 seconds.
  CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < 15);
}

TEST_CASE("the failing call of several on one instance is named") {
  ProcessRunner runner(XQACHECK_TEST_PLUGINS "/unruly.so:die-later");
  RunOptions options;
  options.runs = 5;
  const Outcome outcome = runner.run(tests::hand_problem(), options);
  CHECK(outcome.status == RunStatus::crashed);
  CHECK(outcome.why == "SIGABRT in call 3 of run()");
}

TEST_CASE("kept scratch holds what the run before left, of another shape too") {
  ProcessRunner runner(XQACHECK_TEST_PLUGINS "/unruly.so:read-scratch");
  RunOptions fresh, kept;
  fresh.scratch = Fill::zero;
  kept.keep_scratch = true;
  // The kernel copies the first byte of scratch to the first byte of out, then writes 0x5a there.
  CHECK(runner.run(tests::hand_problem(), fresh).out.at(0) == std::byte{0});
  CHECK(runner.run(tests::hand_problem({.rows = 7}), kept).out.at(0) == std::byte{0x5a});
  CHECK(runner.run(tests::hand_problem(), fresh).out.at(0) == std::byte{0});
}

TEST_CASE("a worker is replaced before leaks pile up") {
  ProcessOptions process;
  process.cases_per_worker = 3;
  ProcessRunner runner(XQACHECK_TEST_PLUGINS "/good.so:copy", process);
  for (int i = 0; i < 7; ++i) REQUIRE(runner.run(tests::hand_problem(), {}).status == RunStatus::ok);
  CHECK(runner.workers_started() == 3);
}

TEST_CASE("a kernel that writes over the worker's heap, its libraries or all shared memory") {
  for (const char* kernel : {"scribble-heap", "scribble-libraries", "scribble-shared"}) {
    INFO(kernel);
#if defined(__SANITIZE_ADDRESS__)
    if (std::string(kernel) == "scribble-heap") continue;  // the sanitizer's allocator does not use the heap mapping
#endif
    const Outcome outcome = run_twice(kernel, 5);
    INFO(outcome.why);
    // What the worker still manages to do depends on what was hit: it dies, answers nonsense, hangs in a lock, or
    // canaries are gone.
    CHECK((outcome.status == RunStatus::crashed || outcome.status == RunStatus::hung || !outcome.damage.empty()));
    CHECK((outcome.status == RunStatus::ok || !outcome.why.empty()));
  }
}

TEST_CASE("idle threads may stay") {
  CHECK(run_twice("idle-pool", 60).status == RunStatus::ok);
}

TEST_CASE("state that is not left zero") {
  const Outcome outcome = run_twice("leave-state", 60);
  CHECK(outcome.status == RunStatus::ok);
  CHECK_FALSE(outcome.state_left_zero);
  CHECK(outcome.damage.empty());
}

TEST_CASE("alarms and signal handlers do not reach the next case") {
  const tests::ProcessCensus census;
  {
    ProcessRunner runner(XQACHECK_TEST_PLUGINS "/unruly.so:arm-alarm");
    // The first case sets an alarm of two seconds, which would end the worker; the second begins without it.
    REQUIRE(runner.run(tests::hand_problem(), {}).status == RunStatus::ok);
    REQUIRE(runner.run(tests::hand_problem(), {}).status == RunStatus::ok);
    std::this_thread::sleep_for(std::chrono::milliseconds(2300));
    REQUIRE(runner.run(tests::hand_problem(), {}).status == RunStatus::ok);
    CHECK(runner.workers_started() == 1);
  }
  CHECK(census.others(20) == 0);
}
