// What the checks know of a running grid, CTA and warp.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "emulation/ptx/check/clock.hpp"
#include "emulation/ptx/check/shadow.hpp"

namespace xqacheck::ptx {

// An asynchronous copy that nobody has waited for yet.
struct Flight {
  Unit unit = 0;
  std::uint32_t lane = 0, instruction = 0, group = 0;
  Time time = 0;
  std::uint32_t to_cta = 0;
  std::uint64_t to = 0, from = 0;  // shared offset; global address
  std::uint32_t bytes = 0, source_bytes = 0;
  std::uint64_t mbarrier = 0;  // key of the mbarrier that tells of its end; 0: wait_group
  std::uint64_t phase = 0;     // that ends with it
  bool used = false;
};

struct WarpCheck {
  Unit unit = 0, first = 0;  // first: of its CTA
  std::uint32_t warps = 0;   // of its CTA
  Time time = 1;
  Time synced = 0;  // what any lane did up to then, all lanes know
  LaneMask live = 0;
  Clock known;  // to all lanes
  struct Partial {
    LaneMask lanes;
    Clock clock;
  };
  std::vector<Partial> partial;  // known to some lanes only, until the warp synchronises
  // What the last fence of these lanes lets a relaxed store publish, and how far; what relaxed loads have seen and the
  // next fence makes known.
  LaneMask fenced = 0;
  Scope fence_scope = Scope::cta;
  Clock released;
  Clock seen;
  // What fence.sc of others, and its own, have published that lies before here: by whatever it has synchronised with
  // and whatever relaxed accesses have told it. The next fence.sc makes it known (checker.hpp, Checker::fence).
  Clock sc;
  std::array<std::uint32_t, 32> committed{};  // groups of cp.async
  std::vector<std::uint32_t> flights;         // ids
};

struct BarrierCheck {  // one of the sixteen of a CTA, in its current round
  std::uint32_t count = 0, arrived = 0;
  Clock clock;
  Clock sc;
  std::vector<std::uint32_t> waiting, participants;  // warps
  std::uint32_t instruction = 0;
};

struct MbarrierCheck {
  bool valid = false;
  std::uint32_t count = 0;
  std::uint32_t arrivals = 0;  // of the current phase
  std::uint64_t phase = 0;
  Past init;            // who uses it must know of its initialisation
  Clock current, done;  // arrivals of the current phase; of all completed ones
  Clock current_sc, done_sc;
  std::vector<std::uint32_t> flights;
};

struct CtaCheck {
  std::uint32_t cta = 0;
  bool ended = false;
  std::vector<WarpCheck> warps;
  std::unique_ptr<Shadow> shadow;
  std::unique_ptr<Written> written;
  std::vector<std::unique_ptr<Written>> local;  // by thread, made at the first access
  std::array<BarrierCheck, 16> barriers;
  Clock exited;  // what lanes did that have exited: a barrier of the whole CTA counts them as arrived
  Clock exited_sc;
  std::map<std::uint64_t, MbarrierCheck> mbarriers;  // by shared address
};

struct GridCheck {
  GridBegin begin;
  std::shared_ptr<const std::vector<Place>> places;
  std::shared_ptr<const std::vector<std::string>> files;
  std::shared_ptr<const std::vector<InlinedAt>> sites;
  Unit first = 0;           // its CTAs take grid.product() * warps units from here
  std::uint32_t warps = 0;  // of a CTA
  Unit complete_below = 0;  // known to have completed when it starts
  std::vector<std::unique_ptr<CtaCheck>> ctas;
  bool ended = false;

  Unit end() const { return first + static_cast<Unit>(begin.grid.product()) * warps; }
  Unit first_of(Unit unit) const { return unit - (unit - first) % warps; }
};

}  // namespace xqacheck::ptx
