// mbarrier objects: who learns what through them, and whether they are used as the ISA allows.
#include <fmt/format.h>

#include <algorithm>

#include "emulation/ptx/check/checker.hpp"

namespace xqacheck::ptx {

MbarrierCheck& Checker::mbarrier_of(GridCheck& grid, std::uint32_t owner, std::uint64_t address) {
  return cta_of(grid, owner).mbarriers[address & 0xFFFFFFFFu];
}

void Checker::mbarrier(const Mbarrier& event) {
  GridCheck& grid = grid_of(event.at.grid);
  CtaCheck& cta = cta_of(grid, event.at.cta);
  WarpCheck& warp = cta.warps[event.at.warp];
  MbarrierCheck& barrier = mbarrier_of(grid, event.owner, event.address);
  const auto lane = static_cast<std::uint32_t>(__builtin_ctz(event.at.active | 1u << 31));
  const auto misuse = [&](std::string message) {
    Finding& finding = report(FindingKind::mbarrier_misuse, grid, event.at, lane, std::move(message));
    finding.has_address = true;
    finding.address = finding.offset = event.address & 0xFFFFFFFFu;
    finding.allocation = "shared";
  };
  // The object itself: set up and taken down like memory that is written, used like an atomic.
  const bool sets = event.kind == MbarrierKind::init || event.kind == MbarrierKind::inval;
  Toucher who{&grid, &cta, &warp, &event.at, lane, sets ? Strength::weak : Strength::strong_gpu};
  Target target;
  const std::uint64_t address =
      event.owner == event.at.cta ? event.address : (std::uint64_t{event.owner} + 1) << 32 | event.address;
  if (!check_alignment(who, Space::shared, address, 8) || !resolve(who, Space::shared, address, 8, true, target))
    return;
  if (!sets && !barrier.valid) return misuse("the mbarrier has not been initialised");
  if (!sets && barrier.init.epoch && !ordered(who, barrier.init.epoch)) {
    report_race(who, target, barrier.init, "use of an mbarrier", "initialisation");
    barrier.init = {};  // once
  }
  write(who, target, 8);

  barrier.phase = event.phase;
  switch (event.kind) {
    case MbarrierKind::init:
      if (barrier.valid)
        misuse(fmt::format(
            "the mbarrier is initialised again without mbarrier.inval{}",
            barrier.arrivals != 0 ? fmt::format(", with {} of {} arrivals", barrier.arrivals, barrier.count) : ""));
      barrier = {};
      barrier.valid = true;
      barrier.count = event.count;
      barrier.init = {Epoch(warp.unit, lane, warp.time), event.at.instruction, Strength::weak};
      ++warp.time;
      break;
    case MbarrierKind::inval:
      if (!barrier.valid) misuse("mbarrier.inval of what is no mbarrier");
      if (barrier.arrivals != 0)
        misuse(fmt::format("mbarrier.inval with {} of {} arrivals of a phase", barrier.arrivals, barrier.count));
      barrier = {};
      break;
    case MbarrierKind::arrive:
    case MbarrierKind::arrive_drop: {
      const std::uint32_t arrivals = event.count * static_cast<std::uint32_t>(__builtin_popcount(event.at.active));
      if (event.order != Order::relaxed) {
        barrier.current.join(publish(warp, event.at.active));
        ++warp.time;
      }
      barrier.current_sc.join(warp.sc);
      barrier.arrivals += arrivals;
      break;
    }
    case MbarrierKind::expect_tx:
    case MbarrierKind::complete_tx:
      break;
    case MbarrierKind::test_wait:
    case MbarrierKind::try_wait:
      if (!event.succeeded || event.phase == 0) break;
      if (event.order != Order::relaxed) acquire(warp, event.at.active, barrier.done);
      warp.sc.join(barrier.done_sc);
      std::erase_if(barrier.flights, [&](std::uint32_t id) {
        Flight& flight = flights_[id];
        if (!flight.used) return true;
        if (flight.phase >= event.phase) return false;
        WarpCheck& issuer =
            cta_of(grid, (flight.unit - grid.first) / grid.warps).warps[(flight.unit - grid.first) % grid.warps];
        std::erase(issuer.flights, id);
        finish(flight, id);
        return true;
      });
      break;
  }
  if (event.completes) {
    barrier.done.join(barrier.current);
    barrier.current.clear();
    barrier.done_sc.join(barrier.current_sc);
    barrier.current_sc.clear();
    barrier.arrivals = 0;
    ++barrier.phase;
  }
}

}  // namespace xqacheck::ptx
