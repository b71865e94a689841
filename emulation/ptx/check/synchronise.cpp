// Who learns what from whom: releases and acquires, fences, barriers of a warp.
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
void Checker::fence(const WarpAt& at, FenceKind kind, Scope scope) {
  if (kind != FenceKind::acq_rel && kind != FenceKind::sc) return;
  WarpCheck& warp = warp_of(at);
  if (!warp.seen.empty()) {
    acquire(warp, at.active, warp.seen);
    warp.seen.clear();
  }
  warp.released = publish(warp, at.active);
  warp.fenced = at.active;
  warp.fence_scope = scope;
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
    // A scope of cta sees only what its own CTA published, at whatever scope.
    if (access.scope != Scope::cta) seen.join(location.device);
    if (location.cta_first == warp.first) seen.join(location.cta);
    if (!seen.empty()) {
      const bool acquires = access.order == Order::acquire || access.order == Order::acq_rel;
      if (acquires)
        acquire(warp, lane, seen);
      else
        warp.seen.join(seen);  // of any lane: a later fence of another lane may learn too much
    }
  }
  if (!writes) return;
  const bool atomic = access.kind == AccessKind::atomic || access.kind == AccessKind::reduction;
  if (!atomic) location = {};  // a store ends the release sequence, an atomic continues it
  const bool releases = access.order == Order::release || access.order == Order::acq_rel;
  Clock out;
  Scope scope = access.scope;
  if (releases) {
    out = publish(warp, lane);
  } else if ((warp.fenced & lane) != 0) {
    out = warp.released;
    if (warp.fence_scope == Scope::cta) scope = Scope::cta;
  } else {
    return;
  }
  // What was published at cta scope also serves its own CTA only.
  if (location.cta_first != warp.first) location.cta.clear();
  location.cta_first = warp.first;
  location.cta.join(out);
  if (scope != Scope::cta) location.device.join(out);
}

}  // namespace xqacheck::ptx
