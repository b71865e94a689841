// Vector clocks for warps, with the lanes of a warp apart where it matters.
//
// A unit is one warp of one CTA of one grid, numbered in the order in which CTAs begin; the warps of a CTA are
// neighbours. Each unit counts time: an access happens at the time of its warp, and a release ends that time. A clock
// says, for every unit, up to which time its accesses are known to have happened. Units whose CTAs share no
// synchronisation never meet in a clock, so its size is that of what was really synchronised.
#pragma once

#include <cstdint>
#include <vector>

#include "emulation/ptx/check/monitor.hpp"

namespace xqacheck::ptx {

using Unit = std::uint32_t;
using Time = std::uint32_t;

// One or several lanes of a unit at a time. Packed: 26 bits unit, 6 bits lane (32: several lanes), 32 bits time; 0:
// never.
class Epoch {
 public:
  static constexpr std::uint32_t kSeveral = 32;
  static constexpr Unit kMaxUnit = (1u << 26) - 2;  // the field holds unit + 1
  constexpr Epoch() = default;
  constexpr Epoch(Unit unit, std::uint32_t lane, Time time)
      : bits_(std::uint64_t{unit + 1} << 38 | std::uint64_t{lane} << 32 | time) {}
  constexpr explicit operator bool() const { return bits_ != 0; }
  constexpr bool operator==(const Epoch&) const = default;
  constexpr Unit unit() const { return static_cast<Unit>(bits_ >> 38) - 1; }
  constexpr std::uint32_t lane() const { return bits_ >> 32 & 63; }
  constexpr Time time() const { return static_cast<Time>(bits_); }

 private:
  std::uint64_t bits_ = 0;
};

// What is known of one unit: all lanes up to `all`; those of `lanes` up to `some` (> all where it says anything). A
// join of two sets of lanes keeps the union at the later time: it may know too much, never too little, so that a race
// can be missed but none invented.
struct Known {
  Time all = 0, some = 0;
  LaneMask lanes = 0;

  bool covers(const Epoch& epoch) const {
    if (epoch.time() <= all) return true;
    if (epoch.time() > some) return false;
    return epoch.lane() == Epoch::kSeveral ? lanes == ~LaneMask{0} : (lanes >> epoch.lane() & 1) != 0;
  }
  void join(const Known& other);
};

class Clock {
 public:
  // All units below are complete: everything that they did is known.
  Unit complete_below = 0;

  // `first`: first unit of the CTA to which the epoch's unit belongs, `warps` the size of that CTA.
  bool covers(const Epoch& epoch, Unit first) const {
    if (epoch.unit() < complete_below) return true;
    const Part* part = find(first);
    return part != nullptr && part->warps[epoch.unit() - first].covers(epoch);
  }
  void join(const Clock& other);
  Known& at(Unit unit, Unit first, std::uint32_t warps);  // created with nothing known
  bool empty() const { return parts_.empty() && complete_below == 0; }
  void clear() { parts_.clear(), complete_below = 0; }

 private:
  struct Part {  // one CTA
    Unit first;
    std::vector<Known> warps;
  };
  const Part* find(Unit first) const;
  std::vector<Part> parts_;  // by first
};

}  // namespace xqacheck::ptx
