// Runner: how a property runs the kernel under test. A property never knows where the kernel runs (worker process, GPU,
// in-process for trusted emulators); it hands over problems and gets outcomes.
#pragma once

#include <cstdint>
#include <string>

#include "properties/errors.hpp"
#include "properties/outcome.hpp"
#include "reference/problem.hpp"

namespace xqacheck::properties {

// Where buffers lie relative to unmapped memory.
enum class Placement : std::uint8_t {
  plain,  // ordinary aligned memory with write canaries around it
  end,    // every buffer ends where unmapped memory begins
  begin   // every buffer begins where unmapped memory ends
};

// What the memory that must not matter holds before the run.
enum class Fill : std::uint8_t { zero, nan, huge, random };

// What surrounds run() on a stream. On the host all are the same.
enum class Launching : std::uint8_t {
  plain,         // inputs copied, then run()
  producer,      // inputs written by a kernel that runs immediately before on the stream
  pdl_producer,  // … and that lets run() start early (programmatic dependent launch)
  graph,         // run() captured in a graph, replayed with other lengths, then with those of the problem
  load           // another kernel keeps the memory system busy on a second stream
};

struct RunOptions {
  Placement place = Placement::plain;
  Fill scratch = Fill::nan;  // scratch workspace before the run
  Fill output = Fill::nan;   // output and LSE before the run
  std::uint32_t plan = 0;    // forced split count, 0: the kernel's own
  std::uint32_t runs = 1;    // run() calls on one prepared instance; the outcome is that of the last
  double timeout_seconds = 30;
  std::uint64_t fill_seed = 0;
  Launching launching = Launching::plain;
  // Which legal order of warps, CTAs and copies the device takes, where it can choose (the PTX machine): 0 its own, n > 0
  // number n - 1 of ptx::standard_schedules.
  std::uint32_t schedule = 0;
  bool keep_scratch =
      false;  // scratch starts with what the runs before left there, of other shapes too; else `scratch`
};

class Runner {
 public:
  virtual ~Runner() = default;
  // Never throws for what the kernel does; throws EnvironmentError when no worker can be had at all.
  virtual Outcome run(const reference::Problem& problem, const RunOptions& options) = 0;
  virtual const xqacheck_description& description() = 0;  // of the kernel under test, strings owned by the runner
  virtual std::string device() { return "host"; }         // where it runs, for reports
};

}  // namespace xqacheck::properties
