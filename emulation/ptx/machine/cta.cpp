#include "emulation/ptx/machine/cta.hpp"

#include <algorithm>

#include "emulation/ptx/instructions/barriers.hpp"
#include "emulation/ptx/machine/lanes.hpp"
#include "emulation/ptx/machine/machine.hpp"
#include "emulation/ptx/machine/zero_pages.hpp"

namespace xqacheck::ptx {

Cta::Cta(Grid& grid, std::uint32_t linear)
    : grid_(grid),
      program_(grid.program()),
      machine_(grid.machine()),
      monitor_(grid.machine().monitor()),
      memory_(grid.machine().memory()),
      linear_(linear),
      grid_number_(grid.number()),
      local_bytes_(program_.local_bytes),
      // Lines of 64 bytes: the lanes of a register never straddle two more than they must.
      register_stride_((program_.register_words + 15) / 16 * 16),
      shared_(grid.shared_bytes()) {
  const std::uint32_t threads = grid.threads(), warps = (threads + 31) / 32;
  live_lanes_ = threads;
  local_.resize(std::size_t{warps} * 32 * local_bytes_);
  registers_ = zero_pages(register_stride_ * warps * sizeof(std::uint32_t));
  copies_.resize(warps);
  warps_.reserve(warps);
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    warps_.emplace_back(*this, warp, std::min(threads - 32 * warp, 32u));
    fill_registers(warp);
  }
}

std::span<const std::byte> Cta::parameters() const {
  return grid_.launch().parameters;
}

void Cta::fill_registers(std::uint32_t warp) {
  const Launch& launch = grid_.launch();
  const Extent grid = launch.grid, block = launch.block;
  const std::uint32_t x = linear_ % grid.x, y = linear_ / grid.x % grid.y, z = linear_ / (grid.x * grid.y);
  std::uint32_t* registers = registers_of(warp);
  for (const auto& special : program_.specials) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t thread = 32 * warp + lane;
      std::uint32_t value = 0;
      switch (special.what) {
        case Special::tid_x:
          value = thread % block.x;
          break;
        case Special::tid_y:
          value = thread / block.x % block.y;
          break;
        case Special::tid_z:
          value = thread / (block.x * block.y);
          break;
        case Special::ntid_x:
          value = block.x;
          break;
        case Special::ntid_y:
          value = block.y;
          break;
        case Special::ntid_z:
          value = block.z;
          break;
        case Special::ctaid_x:
        case Special::clusterid:
          value = x;
          break;
        case Special::ctaid_y:
          value = y;
          break;
        case Special::ctaid_z:
          value = z;
          break;
        case Special::nctaid_x:
        case Special::nclusterid:
          value = grid.x;
          break;
        case Special::nctaid_y:
          value = grid.y;
          break;
        case Special::nctaid_z:
          value = grid.z;
          break;
        case Special::laneid:
          value = lane;
          break;
        case Special::warpid:
          value = warp;
          break;
        case Special::nwarpid:
          value = static_cast<std::uint32_t>((block.product() + 31) / 32);
          break;
        case Special::smid:
          value = linear_ % machine_.options().multiprocessors;
          break;
        case Special::nsmid:
          value = machine_.options().multiprocessors;
          break;
        case Special::gridid:
          value = grid_number_;
          break;
        case Special::lanemask_eq:
          value = 1u << lane;
          break;
        case Special::lanemask_lt:
          value = (1u << lane) - 1;
          break;
        case Special::lanemask_le:
          value = ((1u << lane) - 1) | 1u << lane;
          break;
        case Special::lanemask_ge:
          value = ~((1u << lane) - 1);
          break;
        case Special::lanemask_gt:
          value = ~(((1u << lane) - 1) | 1u << lane);
          break;
        case Special::dynamic_smem_size:
          value = launch.dynamic_shared;
          break;
        case Special::total_smem_size:
          value = grid_.shared_bytes();
          break;
        case Special::cluster_nctaid:
        case Special::cluster_nctarank:
          value = 1;
          break;
        default:
          value = 0;
      }
      if (special.wide) {
        registers[special.at + 2 * static_cast<Ref>(lane)] = value;
      } else {
        registers[special.at + static_cast<Ref>(lane)] = value;
      }
    }
  }
}

bool Cta::barrier_arrive(std::uint32_t id, std::uint32_t count, std::uint32_t lanes) {
  Barrier& barrier = barriers_[id];
  barrier.arrived += lanes;
  if (count != 0) barrier.whole = false, barrier.expected = count;
  if (barrier.arrived < (barrier.whole ? live_lanes_ : barrier.expected)) return false;
  complete(id);
  return true;
}

void Cta::complete(std::uint32_t id) {
  if (monitor_ != nullptr) monitor_->barrier_completed(grid_number_, linear_, id);
  for (auto& warp : warps_) {
    for (const auto& fragment : warp.fragments())
      if (fragment.state == FragmentState::at_barrier && fragment.detail == id)
        finish_reduction(warp, program_.code[fragment.pc], fragment.lanes, barriers_[id]);
    warp.release(FragmentState::at_barrier, id);
  }
  barriers_[id] = Barrier{};
}

void Cta::lanes_exited(Warp& warp, LaneMask lanes) {
  live_lanes_ -= static_cast<std::uint32_t>(std::popcount(lanes));
  if (monitor_ != nullptr) monitor_->lanes_exited(warp.at(lanes));
  for (std::uint32_t id = 0; id < 16; ++id) {
    const Barrier& barrier = barriers_[id];
    if (barrier.whole && barrier.arrived != 0 && barrier.arrived >= live_lanes_) complete(id);
  }
}

}  // namespace xqacheck::ptx
