// One thing that is wrong in a run on the PTX machine, with its place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xqacheck::ptx {

// Where an instruction stands: line of the .ptx text, and line of the source that its .loc names (0: none).
struct Place {
  std::uint32_t ptx_line = 0;
  std::uint32_t file = 0;  // index into the file names of the grid
  std::uint32_t line = 0;
  std::uint32_t site = 0;  // index + 1 into the call sites of the grid: where the function of that line was inlined
};

// A function that the compiler has inlined: the place of the call.
struct InlinedAt {
  std::uint32_t file = 0;  // index into the file names of the grid
  std::uint32_t line = 0;
  std::uint32_t caller = 0;  // index + 1: the call around it
};

struct SourceLine {
  std::string file;
  std::uint32_t line = 0;
};

enum class FindingKind : std::uint8_t {
  out_of_bounds,
  misaligned,
  uninitialised,  // a byte is read that nobody has written
  write_to_read_only,
  use_after_cta_end,    // shared memory of a CTA that has ended
  read_in_flight,       // the destination of an asynchronous copy is read before its wait
  overwrite_in_flight,  // source or destination of an asynchronous copy is written before its wait
  race,                 // two accesses, one a write, that nothing orders
  deadlock,
  livelock,
  barrier_misuse,
  mbarrier_misuse,
};
const char* name_of(FindingKind kind);  // "out-of-bounds", …

struct Finding {
  FindingKind kind = FindingKind::race;
  std::string message;  // one sentence, with what the other access was
  std::string kernel;
  std::string source_file;  // empty without .loc
  std::uint32_t source_line = 0;
  std::vector<SourceLine> calls;  // where that line was inlined, from the inside out; empty without .loc … inlined_at
  std::uint32_t ptx_line = 0;
  std::uint32_t cta = 0, warp = 0, lane = 0;  // lane: the first that did it
  bool has_address = false;
  std::uint64_t address = 0;
  std::string allocation;    // "q", "shared"; empty: the address lies in none
  std::uint64_t offset = 0;  // in the allocation, bytes
  // Races and copies in flight: the other access. Which of the two comes later depends on the schedule.
  std::string other_file;
  std::uint32_t other_line = 0, other_ptx_line = 0;
  std::vector<SourceLine> other_calls;
  std::string case_line;
  std::uint64_t count = 1;  // how often, the lanes of one instruction counted once
};

// "copy.cuh:36 < kernel.cu:2815": a line and the calls around it, files without their folders.
std::string chain_text(const std::string& file, std::uint32_t line, const std::vector<SourceLine>& calls);
// One line: kind, place, who, where, message.
std::string to_text(const Finding& finding);

}  // namespace xqacheck::ptx
