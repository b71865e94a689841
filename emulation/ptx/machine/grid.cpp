#include "emulation/ptx/machine/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "emulation/ptx/machine/machine.hpp"

namespace xqacheck::ptx {

namespace {

// sm_90 has 227 KiB for a CTA, static and dynamic.
constexpr std::uint32_t kMostShared = 227u << 10;

// Throws MachineFault: a sum that does not fit must not come out as a small one.
std::uint32_t shared_bytes_of(const Launch& launch) {
  const Program& program = *launch.program;
  std::uint64_t bytes = program.shared_bytes;
  if (launch.dynamic_shared != 0) {
    const std::uint64_t align = program.dynamic_align;
    bytes = (bytes + align - 1) / align * align + launch.dynamic_shared;
  }
  if (bytes > kMostShared)
    throw MachineFault(fmt::format("{}: {} bytes of shared memory; a CTA has at most {}", program.name, bytes, kMostShared));
  return static_cast<std::uint32_t>(bytes);
}

}  // namespace

Grid::Grid(Machine& machine, Launch launch, std::uint32_t number)
    : machine_(machine), launch_(std::move(launch)), number_(number), shared_bytes_(shared_bytes_of(launch_)) {
  const Program& p = program();
  const std::uint64_t grid_size = launch_.grid.product(), threads = launch_.block.product();
  if (grid_size == 0 || grid_size > UINT32_MAX)
    throw MachineFault(fmt::format("{}: a grid of {} CTAs", p.name, grid_size));
  if (threads == 0 || threads > 1024)
    throw MachineFault(fmt::format("{}: a block of {} threads; 1 to 1024 are possible", p.name, threads));
  if (p.max_threads != 0 && threads > p.max_threads)
    throw MachineFault(fmt::format("{}: a block of {} threads, but the kernel was compiled for at most {}", p.name,
                                   threads, p.max_threads));
  if (launch_.parameters.size() < p.parameter_bytes)
    throw MachineFault(fmt::format("{}: {} bytes of parameters, the kernel takes {}", p.name, launch_.parameters.size(),
                                   p.parameter_bytes));
}

void Grid::begin() {
  const Program& p = program();
  triggered_.assign(ctas(), false);
  if (Schedule* schedule = machine_.schedule()) {
    order_ = schedule->cta_order(number_, ctas());
  } else {
    order_.resize(ctas());
    std::iota(order_.begin(), order_.end(), 0u);
  }
  if (Monitor* monitor = machine_.monitor()) {
    GridBegin event;
    event.number = number_;
    event.kernel = p.name;
    event.grid = launch_.grid, event.block = launch_.block, event.cluster = launch_.cluster;
    event.shared_bytes = shared_bytes_;
    event.local_bytes = p.local_bytes;
    event.programmatic_dependent = launch_.programmatic_dependent;
    event.places = p.places;
    event.files = p.files;
    event.sites = p.sites;
    monitor->grid_begin(event);
  }
}

void Grid::fill() {
  while (started_ < ctas() && resident_.size() < machine_.options().resident_ctas) {
    const std::uint32_t cta = order_[started_++];
    if (Monitor* monitor = machine_.monitor()) monitor->cta_begin(number_, cta);
    resident_.push_back(std::make_unique<Cta>(*this, cta));
  }
}

bool Grid::retire() {
  bool any = false;
  for (auto it = resident_.begin(); it != resident_.end();) {
    if (!(*it)->done()) {
      ++it;
      continue;
    }
    any = true;
    Cta& cta = **it;
    for (std::uint32_t warp = 0; warp < cta.warps().size(); ++warp) cta.copies(warp).finish(cta);
    launch_dependents(cta.linear());  // an exit counts as the signal
    if (Monitor* monitor = machine_.monitor()) monitor->cta_end(number_, cta.linear());
    it = resident_.erase(it);
    ++ended_;
  }
  return any;
}

void Grid::launch_dependents(std::uint32_t cta) {
  if (triggered_[cta]) return;
  triggered_[cta] = true;
  ++triggered_count_;
}

}  // namespace xqacheck::ptx
