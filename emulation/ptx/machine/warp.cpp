#include "emulation/ptx/machine/warp.hpp"

#include <bit>

#include "emulation/ptx/instructions/barriers.hpp"
#include "emulation/ptx/machine/cta.hpp"

namespace xqacheck::ptx {

Warp::Warp(Cta& cta, std::uint32_t number, std::uint32_t threads)
    : cta_(&cta),
      registers_(cta.registers_of(number)),
      // Constants are read through the same function as registers, and never written: no decoder makes one a
      // destination.
      constants_(const_cast<std::uint32_t*>(cta.program().constants.data())),
      code_(cta.program().code.data()),
      number_(number),
      live_(threads >= 32 ? 0xffffffffu : (1u << threads) - 1) {
  Fragment whole;
  whole.state = FragmentState::running;
  whole.lanes = live_;
  fragments_.push_back(whole);
}

WarpAt Warp::at(LaneMask active) const {
  return {cta_->grid_number(), cta_->linear(), number_, executing_, active};
}

bool Warp::can_run() const {
  for (const auto& fragment : fragments_)
    if (fragment.state == FragmentState::running) return true;
  return false;
}

// Moves to a fragment that can run, the current one first.
bool Warp::pick() {
  const auto count = static_cast<std::uint32_t>(fragments_.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t index = (current_ + i) % count;
    if (fragments_[index].state != FragmentState::running) continue;
    current_ = index;
    return true;
  }
  return false;
}

std::uint32_t Warp::make(const Fragment& fragment) {
  for (std::uint32_t i = 0; i < fragments_.size(); ++i) {
    if (fragments_[i].state != FragmentState::free) continue;
    fragments_[i] = fragment;
    return i;
  }
  fragments_.push_back(fragment);
  return static_cast<std::uint32_t>(fragments_.size() - 1);
}

// The fragment has reached its reconvergence point, or has no lanes left.
void Warp::arrive(std::uint32_t index) {
  while (true) {
    Fragment& fragment = fragments_[index];
    const std::int32_t above = fragment.parent;
    fragment.state = FragmentState::free;
    if (above < 0) return;
    Fragment& parent = fragments_[static_cast<std::uint32_t>(above)];
    parent.arrived |= fragment.lanes;
    if (--parent.children != 0) return;
    parent.lanes = parent.arrived & live_;
    if (parent.lanes != 0) {
      parent.state = FragmentState::running;
      return;
    }
    index = static_cast<std::uint32_t>(above);
  }
}

Step Warp::branch(const Inst& inst, LaneMask taken) {
  Fragment& fragment = fragments_[current_];
  const LaneMask rest = fragment.lanes & ~taken;
  const std::uint32_t after = fragment.pc + 1;
  if (rest == 0) {
    fragment.pc = inst.target;
    return Step::jumped;
  }
  const std::uint32_t meet = inst.reconverge == kNowhere ? fragment.reconverge : inst.reconverge;
  if (meet == fragment.reconverge) {  // the two parts meet where the fragment meets its siblings anyway
    if (meet != kNowhere && (inst.target == meet || after == meet)) {
      const bool taken_is_there = inst.target == meet;
      fragments_[static_cast<std::uint32_t>(fragment.parent)].arrived |= taken_is_there ? taken : rest;
      fragment.lanes = taken_is_there ? rest : taken;
      fragment.pc = taken_is_there ? after : inst.target;
      return Step::jumped;
    }
    Fragment other = fragment;
    fragment.lanes = taken, fragment.pc = inst.target;
    other.lanes = rest, other.pc = after;
    if (other.parent >= 0) ++fragments_[static_cast<std::uint32_t>(other.parent)].children;
    make(other);
    return Step::jumped;
  }
  fragment.state = FragmentState::joining;
  fragment.pc = meet;
  fragment.arrived = 0, fragment.children = 0;
  const std::uint32_t parent = current_;
  const auto child = [&](LaneMask lanes, std::uint32_t pc) {
    if (pc == meet) {
      fragments_[parent].arrived |= lanes;
      return;
    }
    Fragment part;
    part.state = FragmentState::running;
    part.lanes = lanes, part.pc = pc, part.reconverge = meet, part.parent = static_cast<std::int32_t>(parent);
    ++fragments_[parent].children;
    current_ = make(part);
  };
  child(rest, after);
  child(taken, inst.target);
  return Step::jumped;
}

Step Warp::exit_lanes(LaneMask lanes) {
  live_ &= ~lanes;
  Fragment& fragment = fragments_[current_];
  fragment.lanes &= ~lanes;
  ++fragment.pc;
  if (fragment.lanes == 0) arrive(current_);
  // Lanes that waited for these wait no longer: they try again.
  for (auto& other : fragments_)
    if (other.state == FragmentState::at_sync) other.state = FragmentState::running;
  cta_->lanes_exited(*this, lanes);
  return Step::jumped;
}

void Warp::release(FragmentState state, std::uint64_t detail) {
  for (auto& fragment : fragments_) {
    if (fragment.state != state || fragment.detail != detail) continue;
    fragment.state = FragmentState::running;
    ++fragment.pc;
  }
}

// All lanes that wait at the current instruction, the current fragment included; 0 while some of `members` are missing.
LaneMask Warp::gather(const Inst& inst, LaneMask members) {
  gathered_.clear();
  LaneMask together = 0;
  const std::uint32_t pc = fragments_[current_].pc;
  for (std::uint32_t i = 0; i < fragments_.size(); ++i) {
    const Fragment& other = fragments_[i];
    if (other.state != FragmentState::at_sync || (other.lanes & members) == 0) continue;
    // bar.warp.sync has no result: lanes may meet at different ones.
    if (other.pc != pc && !(is_warp_barrier(inst) && is_warp_barrier(code_[other.pc])))
      continue;
    gathered_.push_back(i);
    together |= other.lanes;
  }
  return (members & ~together) == 0 ? together : 0;
}

// bar.warp.sync (no result) and the collective instructions order the memory of the warp; shfl and its kind do not.
void Warp::tell_sync(const Inst& inst, LaneMask lanes) const {
  if (cta_->monitor() != nullptr && (inst.together == Together::all || is_warp_barrier(inst)))
    cta_->monitor()->warp_sync(at(lanes), lanes);
}

Step Warp::execute_together(const Inst& inst, LaneMask active) {
  LaneMask members = live_;
  if (inst.together == Together::members) members &= words(inst.e)[std::countr_zero(active)];
  if ((members & ~active) == 0) {
    tell_sync(inst, active);
    return inst.run(*this, inst, active);
  }
  Fragment& fragment = fragments_[current_];
  if (fragment.lanes != active) {  // lanes whose guard is false go on
    Fragment rest = fragment;
    rest.lanes &= ~active;
    ++rest.pc;
    fragment.lanes = active;
    if (rest.parent >= 0) ++fragments_[static_cast<std::uint32_t>(rest.parent)].children;
    make(rest);
  }
  fragments_[current_].state = FragmentState::at_sync;
  fragments_[current_].members = members;
  const LaneMask together = gather(inst, members);
  if (together == 0) return Step::jumped;
  tell_sync(inst, together);
  inst.run(*this, inst, together);
  for (const std::uint32_t index : gathered_) {
    fragments_[index].state = FragmentState::running;
    ++fragments_[index].pc;
  }
  return Step::jumped;
}

std::uint64_t Warp::run(std::uint64_t budget, const std::uint8_t* stops) {
  polling_ = false;
  std::uint64_t count = 0;
  while (count < budget && pick()) {
    Fragment& fragment = fragments_[current_];
    if (fragment.pc == fragment.reconverge) {
      arrive(current_);
      continue;
    }
    if (stops != nullptr && stops[fragment.pc] != 0) break;
    const Inst& inst = code_[fragment.pc];
    executing_ = fragment.pc;
    ++count;
    LaneMask active = fragment.lanes;
    if (inst.guard != kNoRef) {
      const LaneMask predicate = *words(inst.guard);
      active &= inst.guard_negated ? ~predicate : predicate;
      if (active == 0) {
        ++fragment.pc;
        continue;
      }
    }
    const Step step = inst.together == Together::no ? inst.run(*this, inst, active) : execute_together(inst, active);
    if (step == Step::next) {
      ++fragments_[current_].pc;
    } else if (step == Step::yield) {
      ++fragments_[current_].pc;
      polling_ = true;
      current_ = (current_ + 1) % static_cast<std::uint32_t>(fragments_.size());
      break;
    }
  }
  if (count == budget && fragments_.size() > 1)
    current_ = (current_ + 1) % static_cast<std::uint32_t>(fragments_.size());
  instructions_ += count;
  return count;
}

}  // namespace xqacheck::ptx
