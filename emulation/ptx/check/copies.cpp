// Asynchronous copies: in flight from their instruction to the wait that covers them.
#include <fmt/format.h>

#include <algorithm>

#include "emulation/ptx/check/checker.hpp"

namespace xqacheck::ptx {

LaneMask Checker::async_copy(const AsyncCopy& copy) {
  GridCheck& grid = grid_of(copy.at.grid);
  CtaCheck& cta = cta_of(grid, copy.at.cta);
  Toucher who{&grid, &cta, &cta.warps[copy.at.warp], &copy.at, 0, Strength::weak};
  LaneMask legal = 0;
  for (LaneMask left = copy.at.active; left != 0; left &= left - 1) {
    who.lane = static_cast<std::uint32_t>(__builtin_ctz(left));
    const std::uint32_t from_bytes = copy.source_bytes != nullptr ? copy.source_bytes[who.lane] : copy.bytes;
    Target to, from;
    const std::uint32_t alignment = std::min(copy.bytes, 16u);  // bulk copies need 16
    if (!check_alignment(who, copy.to_space, copy.to[who.lane], alignment)) continue;
    if (from_bytes != 0) {
      if (!check_alignment(who, copy.from_space, copy.from[who.lane], alignment)) continue;
      if (!resolve(who, copy.from_space, copy.from[who.lane], from_bytes, false, from)) continue;
      read(who, from, from_bytes);
    }
    if (!resolve(who, copy.to_space, copy.to[who.lane], copy.bytes, true, to)) continue;
    legal |= 1u << who.lane;
    write(who, to, copy.bytes);
    if (!options_.races) continue;

    if (free_flights_.empty()) {
      free_flights_.push_back(static_cast<std::uint32_t>(flights_.size()));
      flights_.emplace_back();
    }
    const std::uint32_t id = free_flights_.back();
    free_flights_.pop_back();
    Flight& flight = flights_[id];
    flight = {who.warp->unit,
              who.lane,
              copy.at.instruction,
              who.warp->committed[who.lane],
              who.warp->time,
              copy.at.cta,
              copy.to[who.lane],
              copy.from[who.lane],
              copy.bytes,
              from_bytes,
              0,
              0,
              true};
    if (to.shadow != nullptr) to.shadow->touch(to.offset, copy.bytes, [&](Word& word) { word.flight = id; });
    if (from.shadow != nullptr && copy.from_space == Space::global) sources_.push_back(id);
    if (copy.mbarrier != 0) {
      MbarrierCheck& barrier = mbarrier_of(grid, copy.at.cta, copy.mbarrier);
      flight.phase = barrier.phase;
      flight.mbarrier = copy.mbarrier;
      barrier.flights.push_back(id);
    }
    who.warp->flights.push_back(id);
  }
  return legal;
}

// The copy has been waited for: its destination now holds an ordinary write of its lane.
void Checker::finish(Flight& flight, std::uint32_t id) {
  GridCheck& grid = grid_of_unit(flight.unit);
  CtaCheck& cta = cta_of(grid, flight.to_cta);
  if (cta.shadow != nullptr) {
    const Past write{Epoch(flight.unit, flight.lane, flight.time), flight.instruction, Strength::copy};
    cta.shadow->touch(flight.to & 0xFFFFFFFFu, flight.bytes, [&](Word& word) {
      if (word.flight != id) return;  // written since by a copy that has been reported
      word.flight = 0;
      word.write = write;
    });
  }
  std::erase(sources_, id);
  flight = {};
  free_flights_.push_back(id);
}

void Checker::check_sources(const Toucher& who, const Target& target, std::uint32_t bytes) {
  for (const std::uint32_t id : sources_) {
    const Flight& flight = flights_[id];
    if (flight.from >= target.address + bytes || target.address >= flight.from + flight.source_bytes) continue;
    const Past past{Epoch(flight.unit, flight.lane, flight.time), flight.instruction, Strength::copy};
    report_at(
        FindingKind::overwrite_in_flight, who, target,
        fmt::format("write to the source of the asynchronous copy by {}, which nobody has waited for", describe(past)),
        &past);
    return;
  }
}

void Checker::copy_commit(const WarpAt& at) {
  WarpCheck& warp = warp_of(at);
  for (LaneMask left = at.active; left != 0; left &= left - 1)
    ++warp.committed[static_cast<std::uint32_t>(__builtin_ctz(left))];
}

void Checker::copy_wait(const WarpAt& at, std::uint32_t groups_left) {
  WarpCheck& warp = warp_of(at);
  std::erase_if(warp.flights, [&](std::uint32_t id) {
    Flight& flight = flights_[id];
    if ((at.active >> flight.lane & 1) == 0) return false;
    if (flight.mbarrier != 0 && groups_left != kAllCopies) {
      // Also told by an mbarrier: the group serves as well.
    }
    const bool done = groups_left == kAllCopies || flight.group + groups_left < warp.committed[flight.lane];
    if (!done) return false;
    flight.time = warp.time;
    if (flight.mbarrier != 0) {
      GridCheck& grid = grid_of_unit(flight.unit);
      std::erase(mbarrier_of(grid, flight.to_cta, flight.mbarrier).flights, id);
    }
    finish(flight, id);
    return true;
  });
}

// cp.async.mbarrier.arrive: the copies of these lanes so far end with the current phase of the mbarrier.
void Checker::copy_arrive(const WarpAt& at, std::uint32_t owner, std::uint64_t address) {
  WarpCheck& warp = warp_of(at);
  MbarrierCheck& barrier = mbarrier_of(grid_of(at.grid), owner, address);
  for (const std::uint32_t id : warp.flights) {
    Flight& flight = flights_[id];
    if ((at.active >> flight.lane & 1) == 0 || flight.mbarrier != 0) continue;
    flight.mbarrier = address;
    flight.phase = barrier.phase;
    flight.time = warp.time;
    barrier.flights.push_back(id);
  }
  barrier.current.join(publish(warp, at.active));
  ++warp.time;
}

}  // namespace xqacheck::ptx
