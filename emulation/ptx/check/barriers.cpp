// bar and barrier: sixteen a CTA. And what to say when nothing can go on.
#include <fmt/format.h>

#include <algorithm>

#include "emulation/ptx/check/checker.hpp"

namespace xqacheck::ptx {

void Checker::barrier_arrive(const BarrierArrive& arrive) {
  GridCheck& grid = grid_of(arrive.at.grid);
  CtaCheck& cta = cta_of(grid, arrive.at.cta);
  WarpCheck& warp = cta.warps[arrive.at.warp];
  const auto threads = static_cast<std::uint32_t>(grid.begin.block.product());
  const auto misuse = [&](std::string message) {
    report(FindingKind::barrier_misuse, grid, arrive.at,
           static_cast<std::uint32_t>(__builtin_ctz(arrive.at.active | 1u << 31)), std::move(message));
  };
  if (arrive.id > 15) return misuse(fmt::format("barrier {}: a CTA has 16", arrive.id));
  BarrierCheck& barrier = cta.barriers[arrive.id];
  if (arrive.count % 32 != 0)
    misuse(fmt::format("barrier {} with {} threads: the count must be a multiple of 32", arrive.id, arrive.count));
  if (arrive.kind == BarrierKind::arrive && arrive.count == 0)
    misuse(fmt::format("bar.arrive on barrier {} without a count", arrive.id));
  if (arrive.count > (threads + 31) / 32 * 32 * (arrive.kind == BarrierKind::arrive || barrier.arrived != 0 ? 2 : 1))
    misuse(fmt::format("barrier {} with {} threads: the CTA has {}", arrive.id, arrive.count, threads));
  if (arrive.aligned && (warp.live & ~arrive.at.active) != 0)
    misuse(
        fmt::format("barrier {} executed by lanes 0x{:08x} only, of 0x{:08x} that live: it must be the same for all "
                    "lanes of the warp",
                    arrive.id, arrive.at.active, warp.live));
  if (barrier.arrived != 0 && barrier.count != arrive.count)
    misuse(fmt::format("barrier {} with {} threads, while others wait at it with {} ({})", arrive.id, arrive.count,
                       barrier.count, place_text(grid, barrier.instruction)));
  if (std::find(barrier.waiting.begin(), barrier.waiting.end(), arrive.at.warp) != barrier.waiting.end())
    misuse(fmt::format("barrier {}: the warp arrives again while it waits", arrive.id));
  barrier.count = arrive.count;
  barrier.instruction = arrive.at.instruction;
  barrier.arrived += 32;
  barrier.clock.join(publish(warp, arrive.at.active));
  barrier.sc.join(warp.sc);
  ++warp.time;
  barrier.participants.push_back(arrive.at.warp);
  if (arrive.kind != BarrierKind::arrive) barrier.waiting.push_back(arrive.at.warp);
}

void Checker::barrier_completed(std::uint32_t number, std::uint32_t index, std::uint32_t id) {
  CtaCheck& cta = cta_of(grid_of(number), index);
  BarrierCheck& barrier = cta.barriers[id];
  for (const std::uint32_t w : barrier.waiting) {
    WarpCheck& warp = cta.warps[w];
    warp.known.join(barrier.clock);
    warp.sc.join(barrier.sc);
    if (barrier.count == 0) warp.known.join(cta.exited), warp.sc.join(cta.exited_sc);
    synchronise_warp(warp);
  }
  barrier = {};
}

namespace {

std::string state_text(const WarpState& warp) {
  const auto lanes = fmt::format("lanes 0x{:08x}", warp.at.active);
  switch (warp.blocked) {
    case Blocked::running:
      return "runs (" + lanes + ")";
    case Blocked::barrier:
      return fmt::format("waits at barrier {}", warp.detail);
    case Blocked::mbarrier:
      return fmt::format("waits for the mbarrier at shared + {} ({})", warp.detail, lanes);
    case Blocked::copies:
      return "waits for its copies";
    case Blocked::grid_dependency:
      return "waits for the preceding grid";
    case Blocked::warp_sync:
      return "waits at bar.warp.sync (" + lanes + ")";
    case Blocked::exited:
      return "has exited";
  }
  return "?";
}

}  // namespace

void Checker::stuck(std::span<const WarpState> warps, bool livelock) {
  const WarpState* first = nullptr;
  std::string states;
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> ctas;
  constexpr std::size_t kMostShown = 64;  // a big grid would fill the screen
  std::size_t shown = 0;
  for (const WarpState& warp : warps) {
    const GridCheck& grid = grid_of(warp.at.grid);
    if (warp.blocked != Blocked::exited && first == nullptr) first = &warp;
    if (warp.blocked == Blocked::exited) continue;
    if (shown++ >= kMostShown) continue;
    states += fmt::format("\n  cta {} warp {} {}{}", warp.at.cta, warp.at.warp, state_text(warp),
                          " at " + place_text(grid, warp.at.instruction));
    ctas[{warp.at.grid, warp.at.cta}] = true;
  }
  if (shown > kMostShown) states += fmt::format("\n  and {} more", shown - kMostShown);
  for (const auto& [which, unused] : ctas) {
    CtaCheck& cta = cta_of(grid_of(which.first), which.second);
    for (std::size_t warp = 0; warp < cta.warps.size(); ++warp)
      if (cta.warps[warp].live == 0) states += fmt::format("\n  cta {} warp {} has exited", which.second, warp);
    for (std::uint32_t id = 0; id < cta.barriers.size(); ++id) {
      const BarrierCheck& barrier = cta.barriers[id];
      if (barrier.arrived == 0) continue;
      const auto all = static_cast<std::uint32_t>(grid_of(which.first).begin.block.product());
      states += fmt::format("\n  cta {} barrier {}: {} of {} threads have arrived", which.second, id, barrier.arrived,
                            barrier.count != 0 ? barrier.count : all);
    }
    for (const auto& [address, barrier] : cta.mbarriers)
      if (barrier.valid)
        states += fmt::format("\n  cta {} mbarrier at shared + {}: phase {}, {} of {} arrivals", which.second, address,
                              barrier.phase, barrier.arrivals, barrier.count);
  }
  if (first == nullptr) return;
  report(livelock ? FindingKind::livelock : FindingKind::deadlock, grid_of(first->at.grid), first->at,
         static_cast<std::uint32_t>(__builtin_ctz(first->at.active | 1u << 31)),
         (livelock ? "no warp makes progress:" : "no warp can go on:") + states);
}

}  // namespace xqacheck::ptx
