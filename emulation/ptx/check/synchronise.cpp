// Who learns what from whom: releases and acquires, fences, barriers of a warp.
#include <algorithm>

#include "emulation/ptx/check/checker.hpp"

namespace xqacheck::ptx {

// What the given lanes know and have done, as a clock. The caller ends the time of the warp afterwards.
Clock Checker::publish(WarpCheck& warp, LaneMask lanes) {
  Clock clock = warp.known;
  for (const WarpCheck::Partial& partial : warp.partial)
    if ((partial.lanes & lanes) != 0) clock.join(partial.clock);
  Known& own = clock.at(warp.unit, warp.first, warp.warps);
  own = {};
  if ((warp.live & ~lanes) == 0) {
    own.all = warp.time;
  } else {
    own.all = warp.synced;
    own.some = warp.time;
    own.lanes = lanes;
  }
  return clock;
}

void Checker::acquire(WarpCheck& warp, LaneMask lanes, const Clock& clock) {
  if ((warp.live & ~lanes) == 0) {
    warp.known.join(clock);
    return;
  }
  for (WarpCheck::Partial& partial : warp.partial) {
    if (partial.lanes != lanes) continue;
    partial.clock.join(clock);
    return;
  }
  warp.partial.push_back({lanes, clock});
}

// All lanes know what any lane knew and did. A barrier of some lanes is taken for one of all: a race can be missed
// then.
void Checker::synchronise_warp(WarpCheck& warp) {
  for (const WarpCheck::Partial& partial : warp.partial) warp.known.join(partial.clock);
  warp.partial.clear();
  warp.synced = warp.time++;
}

void Checker::warp_sync(const WarpAt& at, LaneMask) {
  synchronise_warp(warp_of(at));
}

// fence.acq_rel and fence.sc: a later relaxed store publishes what is known now; what relaxed loads have seen is known
// now.
//
// fence.sc does more (PTX ISA, Fence-SC order): any two of them whose scopes include each other synchronise, one way or
// the other. The way is forced where a chain leads from the first to the second that the other way would contradict:
// the first, a barrier or nothing, a relaxed write that a relaxed read of another thread sees, a barrier or nothing,
// the second. That is `__threadfence(); __syncthreads();`, an atomic by one thread, and the same on the other side.
// `sc` is carried along such chains. (Chains over several locations are followed too, where PTX leaves the order open.)
void Checker::fence(const WarpAt& at, FenceKind kind, Scope scope) {
  if (kind != FenceKind::acq_rel && kind != FenceKind::sc) return;
  WarpCheck& warp = warp_of(at);
  const bool all = (warp.live & ~at.active) == 0;
  if (!warp.seen.empty()) {
    acquire(warp, at.active, warp.seen);
    if (all) warp.seen.clear();  // else the other lanes' loads may be among what it stands for
  }
  const bool global_sc = kind == FenceKind::sc && scope != Scope::cta;  // inside a CTA nothing is left to order
  if (global_sc && !warp.sc.empty()) acquire(warp, at.active, warp.sc);
  const Clock now = publish(warp, at.active);
  if (global_sc) warp.sc.join(now);
  if ((warp.fenced & ~at.active) == 0) {
    warp.released = now;
    warp.fence_scope = scope;
  } else {  // other lanes have fenced for themselves: kept, at the price of knowing too much of them
    warp.released.join(now);
    warp.fence_scope = std::max(warp.fence_scope, scope);
  }
  warp.fenced |= at.active;
  ++warp.time;
}

// A strong access to a location: it takes what was published there, then publishes.
void Checker::synchronise_location(const Toucher& who, const Access& access, std::uint64_t key) {
  WarpCheck& warp = *who.warp;
  const LaneMask lane = 1u << who.lane;
  const bool reads = access.kind != AccessKind::store, writes = access.kind != AccessKind::load;
  SyncLocation& location = locations_[key];
  if (reads) {
    Clock seen;
    const auto take = [&](const Published& from) {
      seen.join(from.released);
      warp.sc.join(from.sc);
    };
    // A scope of cta sees only what its own CTA published, at whatever scope.
    if (access.scope != Scope::cta) take(location.device);
    if (location.cta_first == warp.first) take(location.cta);
    // The read of a reduction is part of no acquire pattern (PTX ISA, release and acquire patterns).
    if (!seen.empty() && access.kind != AccessKind::reduction) {
      const bool acquires = access.order == Order::acquire || access.order == Order::acq_rel;
      if (acquires)
        acquire(warp, lane, seen);
      else
        warp.seen.join(seen);  // of any lane: a later fence of another lane may learn too much
    }
  }
  if (!writes) return;
  const bool atomic = access.kind == AccessKind::atomic || access.kind == AccessKind::reduction;
  const bool own = location.releaser && location.releaser.unit() == warp.unit && location.releaser.lane() == who.lane;
  const Clock before = own ? location.released : Clock{};
  if (!atomic) location = {};  // a store ends the release sequence, an atomic continues it
  const bool releases = access.order == Order::release || access.order == Order::acq_rel;
  Clock out;
  Scope scope = access.scope;
  if (releases) {
    out = publish(warp, lane);
  } else if ((warp.fenced & lane) != 0) {
    out = warp.released;
    if (warp.fence_scope == Scope::cta && !own) scope = Scope::cta;
  }
  if (own) out.join(before);
  if (releases || own) location.releaser = Epoch(warp.unit, who.lane, warp.time), location.released = out;
  if (out.empty() && warp.sc.empty()) return;
  // What was published at cta scope also serves its own CTA only.
  if (location.cta_first != warp.first) location.cta = {};
  location.cta_first = warp.first;
  location.cta.released.join(out);
  location.cta.sc.join(warp.sc);
  if (access.scope == Scope::cta) return;
  if (scope != Scope::cta) location.device.released.join(out);
  location.device.sc.join(warp.sc);
}

}  // namespace xqacheck::ptx
