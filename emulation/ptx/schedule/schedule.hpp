// Who runs next on the PTX machine: the one source of non-determinism, and it is deterministic given its seed.
//
// The machine asks whenever a warp's turn is over (turn used up, blocked, or a failed wait), which CTA may start and
// when an asynchronous copy lands. Every answer must be a legal execution of a GPU: a schedule can be unfair for as
// long as it likes, but `next` chooses among warps that can run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace xqacheck::ptx {

struct Runnable {
  std::uint32_t grid = 0, cta = 0, warp = 0;
  // Its last instruction was a failed wait, a nanosleep or a backward branch after a polling load: it waits for others.
  bool polling = false;
};

struct Turn {
  std::size_t index = 0;           // into the runnable warps
  std::uint32_t instructions = 1;  // at most so many before the next question
};

class Schedule {
 public:
  virtual ~Schedule() = default;
  // A grid is about to start: the order in which its CTAs become resident (linear indices, a permutation).
  virtual std::vector<std::uint32_t> cta_order(std::uint32_t grid, std::uint32_t ctas) = 0;
  // Not empty. Polling warps must not be chosen for ever while others can run: the machine's livelock budget counts.
  virtual Turn next(std::span<const Runnable> runnable) = 0;
  // An asynchronous copy has been issued: after how many turns it lands if no wait needs it earlier. 0: at once;
  // kWhenNeeded: with the wait, or the end of the CTA.
  static constexpr std::uint32_t kWhenNeeded = ~0u;
  virtual std::uint32_t copy_delay() = 0;
  // A programmatic dependent grid may start now that its predecessor allows it: true now, false as late as possible.
  virtual bool dependent_starts_early() = 0;
  // atom/red: a warp has just executed one on global memory (a semaphore, as far as the schedule can know).
  virtual void after_atomic(std::uint32_t grid, std::uint32_t cta, std::uint32_t warp) = 0;
};

enum class ScheduleKind : std::uint8_t {
  in_order,       // one warp until it blocks, CTA after CTA
  round_robin,    // every warp some instructions
  random,         // seeded: warp, length of turn, CTA order, landing of copies
  starve_warp,    // one warp of each CTA (by seed) runs only when no other can
  delay_cta,      // one CTA (by seed) stops after its first global atomic until no other can run
  last_cta,       // a seeded permutation of the CTAs, each run as far as it can before the next
  late_producer,  // dependents start as early as allowed and run before their producer
  // As random, and copies land some turns after they were issued. Not of the standard list: a kernel that does not wait
  // for a copy is found under all schedules; this one shows what may come of it.
  stray_copies,
};

// `text` of `parse_schedule`: "round_robin", "random:17", …; name and seed are what a run line carries.
struct ScheduleSpec {
  ScheduleKind kind = ScheduleKind::in_order;
  std::uint64_t seed = 0;
};
const char* name_of(ScheduleKind kind);
std::string to_text(const ScheduleSpec& spec);
// False, with the reason in `why`, for a name or seed that does not exist.
bool parse_schedule(const std::string& text, ScheduleSpec& spec, std::string& why);

std::unique_ptr<Schedule> make_schedule(const ScheduleSpec& spec);

// The first `count` of the standard list: every kind once with seed 0, then random and the adversaries by turns with
// growing seeds.
std::vector<ScheduleSpec> standard_schedules(std::size_t count);

}  // namespace xqacheck::ptx
