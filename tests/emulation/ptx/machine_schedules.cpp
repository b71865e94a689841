// What the adversarial schedules are for, seen from kernels: who comes last at a semaphore, and whether a dependent
// grid meets its producer at work.
#include <algorithm>
#include <set>

#include "emulation/ptx/schedule/schedule.hpp"
#include "tests/catch.hpp"
#include "tests/emulation/ptx/small_kernel.hpp"

namespace {

using namespace xqacheck::ptx;
using namespace xqacheck::ptx::test;

constexpr const char* kCounters = ".global .align 4 .u32 first = 0; .global .align 4 .u32 second = 0;\n";

// Each CTA takes a ticket at `first` and, some instructions later, one at `second`, which it writes.
std::string two_tickets(bool generic) {
  const std::string space = generic ? "" : ".global";
  const std::string address =
      generic ? "mov.u64 %rd1, first; cvta.global.u64 %rd1, %rd1; mov.u64 %rd2, second; cvta.global.u64 %rd2, %rd2;\n"
              : "mov.u64 %rd1, first; mov.u64 %rd2, second;\n";
  std::string between;
  for (int i = 0; i < 60; ++i) between += "add.u32 %r5, %r5, 1;\n";
  return kernel_text(address + "mov.u32 %r5, 0;\natom" + space + ".add.u32 %r4, [%rd1], 1;\n" + between + "atom" +
                         space + ".add.u32 %r0, [%rd2], 1;\n" + store_r0(),
                     kCounters);
}

std::vector<std::uint32_t> tickets(const std::string& text, const ScheduleSpec& spec, std::uint32_t ctas) {
  const auto schedule = make_schedule(spec);
  return run_text(text, ctas, 1, 0, 0, schedule.get());
}

TEST_CASE("delay_cta holds its CTA back after the first atomic, named or generic") {
  for (const bool generic : {false, true}) {
    const std::string text = two_tickets(generic);
    for (std::uint64_t seed = 0; seed < 4; ++seed) CHECK(tickets(text, {ScheduleKind::delay_cta, seed}, 4)[seed] == 3);
    CHECK(tickets(text, {ScheduleKind::round_robin, 0}, 4)[0] != 3);
  }
}

TEST_CASE("last_cta: every CTA comes last under some seed, and every order of three is tried") {
  const std::string text = two_tickets(false);
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint64_t seed = 0; seed < 60; ++seed) orders.insert(tickets(text, {ScheduleKind::last_cta, seed}, 3));
  CHECK(orders.size() == 6);
}

TEST_CASE("starve_warp: the starved warp takes the last ticket") {
  // Warps of one CTA; lane 0 of each takes a ticket.
  std::string between;
  for (int i = 0; i < 60; ++i) between += "add.u32 %r5, %r5, 1;\n";
  const std::string text = kernel_text(
      "mov.u64 %rd1, first; mov.u32 %r5, 0; mov.u32 %r0, 99; and.b32 %r6, %me, 31; setp.ne.u32 %p1, %r6, 0;\n" +
          between + "@%p1 bra L;\natom.global.add.u32 %r0, [%rd1], 1;\nL:\n" + store_r0(),
      kCounters);
  const auto starved = make_schedule({ScheduleKind::starve_warp, 0});
  CHECK(run_text(text, 1, 128, 0, 0, starved.get())[0] == 3);
  const auto fair = make_schedule({ScheduleKind::round_robin, 0});
  CHECK(run_text(text, 1, 128, 0, 0, fair.get())[0] == 0);
}

// A producer that lets its dependent start, then works and writes 1; a dependent that looks before and after its wait.
std::pair<std::uint32_t, std::uint32_t> before_and_after_wait(const ScheduleSpec& spec) {
  Machine machine;
  const auto schedule = make_schedule(spec);
  machine.set_schedule(schedule.get());
  std::string work;
  for (int i = 0; i < 200; ++i) work += "add.u32 %r5, %r5, 1;\n";
  LoadedModule producer(machine, parse(kernel_text("mov.u32 %r5, 0; griddepcontrol.launch_dependents;\n" + work +
                                                   "mov.u32 %r1, 1; st.global.u32 [%out], %r1;"),
                                       "producer.ptx"));
  LoadedModule dependent(machine, parse(kernel_text("ld.volatile.global.u32 %r1, [%out]; st.global.u32 [%out+4], %r1;\n"
                                                    "griddepcontrol.wait;\n"
                                                    "ld.volatile.global.u32 %r2, [%out]; st.global.u32 [%out+8], %r2;"),
                                        "dependent.ptx"));
  const std::uint64_t out = machine.memory().allocate(12, 256, "out");
  std::uint32_t words[3] = {0, 7, 7};
  std::memcpy(machine.memory().at(out, 12), words, 12);
  Launch launches[2];
  for (int i = 0; i < 2; ++i) {
    launches[i].program = (i == 0 ? producer : dependent).kernel("kernel");
    launches[i].grid = {1, 1, 1}, launches[i].block = {1, 1, 1};
    launches[i].programmatic_dependent = i == 1;
    launches[i].parameters.resize(12);
    std::memcpy(launches[i].parameters.data(), &out, 8);
  }
  machine.run({launches[0], launches[1]});
  std::memcpy(words, machine.memory().at(out, 12), 12);
  return {words[1], words[2]};
}

TEST_CASE("late_producer: the dependent starts while its producer still runs, and its wait is real") {
  CHECK(before_and_after_wait({ScheduleKind::late_producer, 0}) == std::pair{0u, 1u});
  CHECK(before_and_after_wait({ScheduleKind::in_order, 0}) == std::pair{1u, 1u});
}

TEST_CASE("stray_copies: what nobody waits for lands at any time, also between a later write and its read") {
  std::string work;
  for (int i = 0; i < 200; ++i) work += "add.u32 %r5, %r5, 1;\n";
  // out[t] is 0 when the kernel starts: the copy brings zeros, the store ones.
  const std::string text =
      kernel_text("mov.u32 %r1, s; mov.u32 %r5, 0; cp.async.ca.shared.global [%r1], [%out], 4;\n" + work +
                      "mov.u32 %r2, 1; st.shared.u32 [%r1], %r2;\n" + work + "ld.shared.u32 %r0, [%r1];\n" + store_r0(),
                  ".shared .align 16 .b8 s[16];\n");
  const auto result = [&](const ScheduleSpec& spec) {
    const auto schedule = make_schedule(spec);
    return run_text(text, 1, 1, 0, 0, schedule.get())[0];
  };
  for (const ScheduleSpec& spec : standard_schedules(20)) CHECK(result(spec) == 1);
  std::set<std::uint32_t> results;
  for (std::uint64_t seed = 0; seed < 40; ++seed) results.insert(result({ScheduleKind::stray_copies, seed}));
  CHECK(results == std::set<std::uint32_t>{0, 1});
}

}  // namespace
