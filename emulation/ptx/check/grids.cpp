// Grids, CTAs and warps begin and end; memory of the device comes and goes.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulation/ptx/check/checker.hpp"

namespace xqacheck::ptx {
namespace {

std::uint32_t live_lanes(std::uint64_t threads, std::uint32_t warp) {
  const std::uint64_t left = threads - std::uint64_t{warp} * 32;
  return left >= 32 ? ~0u : (1u << left) - 1;
}

}  // namespace

void Checker::allocated(const Allocation& allocation) {
  allocations_.add(allocation);
}
void Checker::freed(std::uint64_t base) {
  allocations_.remove(base);
}
void Checker::narrow(std::uint64_t base, const Allocation& part) {
  allocations_.narrow(base, part);
}

// Copies of the host are ordered with the grids around them: what happened before cannot race with what follows.
void Checker::host_wrote(std::uint64_t base, std::uint64_t bytes) {
  allocations_.each_part(base, bytes, [](Block& block, std::uint64_t offset, std::uint64_t count) {
    block.written.set(offset, count);
    block.shadow.forget(offset, count);
  });
}

void Checker::grid_begin(const GridBegin& begin) {
  const std::uint64_t units = begin.grid.product() * ((begin.block.product() + 31) / 32);
  if (next_unit_ + units > Epoch::kMaxUnit) start_over(units);
  auto grid = std::make_unique<GridCheck>();
  GridCheck* before = grids_.empty() ? nullptr : grids_.back().get();
  grid->begin = begin;
  grid->warps = static_cast<std::uint32_t>((begin.block.product() + 31) / 32);
  grid->first = next_unit_;
  // A programmatic dependent knows what its predecessor knew when that began: nothing of its predecessor's own work.
  grid->complete_below = begin.programmatic_dependent && before != nullptr ? before->complete_below : grid->first;
  grid->ctas.resize(begin.grid.product());
  // The same kernel again: share its places.
  if (before != nullptr && before->places->size() == begin.places.size() && before->begin.kernel == begin.kernel &&
      std::memcmp(before->places->data(), begin.places.data(), begin.places.size_bytes()) == 0) {
    grid->places = before->places;
    grid->files = before->files;
    grid->sites = before->sites;
  } else {
    grid->places = std::make_shared<const std::vector<Place>>(begin.places.begin(), begin.places.end());
    grid->files = std::make_shared<const std::vector<std::string>>(begin.files.begin(), begin.files.end());
    grid->sites = std::make_shared<const std::vector<InlinedAt>>(begin.sites.begin(), begin.sites.end());
  }
  grid->begin.places = {};
  grid->begin.files = {};
  grid->begin.sites = {};
  next_unit_ = grid->end();
  grids_.push_back(std::move(grid));
}

// Units are numbered for ever; when their numbers run out, histories are forgotten. All earlier grids have ended, so
// what they did is ordered before what follows.
void Checker::start_over(std::uint64_t units) {
  for (const auto& grid : grids_)
    if (!grid->ended) throw std::length_error("the checks of the PTX machine: more than 2^26 warps at a time");
  if (units > Epoch::kMaxUnit) throw std::length_error("the checks of the PTX machine: a grid of more than 2^26 warps");
  grids_.clear();
  last_grid_ = nullptr;
  locations_.clear();
  index_.clear();
  allocations_.forget_histories();
  next_unit_ = 0;
}

void Checker::grid_end(std::uint32_t number) {
  GridCheck& grid = grid_of(number);
  grid.ended = true;
  decltype(grid.ctas)().swap(grid.ctas);
}

GridCheck& Checker::grid_of(std::uint32_t number) {
  if (last_grid_ != nullptr && last_grid_->begin.number == number) return *last_grid_;
  for (auto at = grids_.rbegin(); at != grids_.rend(); ++at)
    if ((*at)->begin.number == number) return *(last_grid_ = at->get());
  throw std::logic_error("an event of a grid that has not begun");
}

GridCheck& Checker::grid_of_unit(Unit unit) {
  const auto after =
      std::upper_bound(grids_.begin(), grids_.end(), unit, [](Unit u, const auto& grid) { return u < grid->first; });
  return **std::prev(after);
}

CtaCheck& Checker::cta_of(GridCheck& grid, std::uint32_t cta) {
  if (cta >= grid.ctas.size() || grid.ctas[cta] == nullptr)
    throw std::logic_error("an event of a CTA that has not begun");
  return *grid.ctas[cta];
}

void Checker::cta_begin(std::uint32_t number, std::uint32_t index) {
  GridCheck& grid = grid_of(number);
  auto cta = std::make_unique<CtaCheck>();
  cta->cta = index;
  cta->shadow = std::make_unique<Shadow>(grid.begin.shared_bytes);
  cta->written = std::make_unique<Written>(grid.begin.shared_bytes);
  cta->warps.resize(grid.warps);
  for (std::uint32_t w = 0; w < grid.warps; ++w) {
    WarpCheck& warp = cta->warps[w];
    warp.first = grid.first + index * grid.warps;
    warp.unit = warp.first + w;
    warp.warps = grid.warps;
    warp.live = live_lanes(grid.begin.block.product(), w);
    warp.known.complete_below = grid.complete_below;
  }
  grid.ctas[index] = std::move(cta);
}

// Shared memory and clocks go; what its accesses to global memory left behind stays in the shadow.
void Checker::cta_end(std::uint32_t number, std::uint32_t index) {
  GridCheck& grid = grid_of(number);
  CtaCheck& cta = cta_of(grid, index);
  for (std::uint32_t id = 0; id < cta.barriers.size(); ++id) {
    const BarrierCheck& barrier = cta.barriers[id];
    if (barrier.arrived == 0) continue;  // bar.arrive does not wait: only the end shows that too few came
    report(FindingKind::barrier_misuse, grid, {number, index, barrier.participants.back(), barrier.instruction, 1}, 0,
           fmt::format("barrier {} is never completed: {} of {} threads have arrived when the CTA ends", id,
                       barrier.arrived, barrier.count != 0 ? barrier.count : grid.begin.block.product()));
  }
  for (WarpCheck& warp : cta.warps) {
    for (const std::uint32_t id : warp.flights) {
      flights_[id] = {};
      free_flights_.push_back(id);
      std::erase(sources_, id);
    }
    warp = WarpCheck{};
  }
  cta.ended = true;
  cta.shadow.reset();
  cta.written.reset();
  cta.local.clear();
  cta.mbarriers.clear();
}

void Checker::lanes_exited(const WarpAt& at) {
  CtaCheck& cta = cta_of(grid_of(at.grid), at.cta);
  WarpCheck& warp = cta.warps[at.warp];
  cta.exited.join(publish(warp, at.active));
  cta.exited_sc.join(warp.sc);
  ++warp.time;
  warp.live &= ~at.active;
}

void Checker::launch_dependents(const WarpAt&) {}  // promises nothing about memory: the dependent has to wait

void Checker::dependency_wait(const WarpAt& at) {
  Clock complete;
  complete.complete_below = grid_of(at.grid).first;
  acquire(warp_of(at), at.active, complete);
}

}  // namespace xqacheck::ptx
