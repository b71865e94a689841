// A warp: registers, and the fragments into which divergence splits its lanes.
//
// A fragment is a set of lanes that run together. A branch that divides it makes it wait at the branch's immediate
// post-dominator while two children run; children that reach that place, or whose lanes exit, give their lanes back.
// Every fragment that is not blocked gets its turn, so lanes of one warp may wait for each other (independent thread
// scheduling).
#pragma once

#include <cstdint>
#include <vector>

#include "emulation/ptx/machine/program.hpp"

namespace xqacheck::ptx {

class Cta;

enum class FragmentState : std::uint8_t {
  free,
  running,
  joining,     // waits for its children at pc
  at_sync,     // waits for other lanes of the warp at a .sync instruction
  at_barrier,  // arrived; goes on at pc + 1 when the barrier completes
  at_copies,   // cp.async.wait
  at_grid      // griddepcontrol.wait
};

struct Fragment {
  FragmentState state = FragmentState::free;
  std::uint32_t pc = 0;
  LaneMask lanes = 0;
  std::uint32_t reconverge = kNowhere;
  std::int32_t parent = -1;
  LaneMask arrived = 0;        // joining: lanes that are back
  std::uint32_t children = 0;  // joining: that are still out
  LaneMask members = 0;        // at_sync: lanes that must come
  std::uint64_t detail = 0;    // barrier id, …
};

class Warp {
 public:
  Warp(Cta& cta, std::uint32_t number, std::uint32_t threads);

  std::uint32_t* words(Ref ref) { return ref >= 0 ? registers_ + ref : constants_ + ~ref; }
  const std::uint32_t* words(Ref ref) const { return ref >= 0 ? registers_ + ref : constants_ + ~ref; }

  Cta& cta() { return *cta_; }
  const Cta& cta() const { return *cta_; }
  std::uint32_t number() const { return number_; }
  LaneMask live() const { return live_; }
  bool done() const { return live_ == 0; }

  // Runs at most `budget` instructions. Returns how many it ran; 0 only when nothing can run.
  // With `stops` (by instruction) it stops before those that are marked; returns 0 if it stands before one.
  std::uint64_t run(std::uint64_t budget, const std::uint8_t* stops = nullptr);
  bool can_run() const;
  bool polling() const { return polling_; }

  // For handlers: the fragment that executes.
  Fragment& fragment() { return fragments_[current_]; }
  std::uint32_t current() const { return current_; }
  Step branch(const Inst& inst, LaneMask taken);
  Step exit_lanes(LaneMask lanes);
  void release(FragmentState state, std::uint64_t detail);  // fragments that wait so go on behind their instruction
  std::vector<Fragment>& fragments() { return fragments_; }
  const std::vector<Fragment>& fragments() const { return fragments_; }

  WarpAt at(LaneMask active) const;  // for the monitor: the instruction that is being executed
  std::uint64_t instructions() const { return instructions_; }

 private:
  bool pick();
  void arrive(std::uint32_t index);
  std::uint32_t make(const Fragment& fragment);
  LaneMask gather(const Inst& inst, LaneMask members);
  void tell_sync(const Inst& inst, LaneMask lanes) const;
  Step execute_together(const Inst& inst, LaneMask active);

  Cta* cta_;
  std::uint32_t* registers_;
  std::uint32_t* constants_;
  const Inst* code_;
  std::uint32_t number_;
  LaneMask live_ = 0;
  std::vector<Fragment> fragments_;
  std::uint32_t current_ = 0;
  std::uint32_t executing_ = 0;  // pc
  std::vector<std::uint32_t> gathered_;
  bool polling_ = false;
  std::uint64_t instructions_ = 0;
};

}  // namespace xqacheck::ptx
