#include "properties/isolation/worker_workspaces.hpp"

#include <cstring>

#include "properties/isolation/pattern.hpp"
#include "properties/isolation/workspace_check.hpp"

namespace xqacheck::properties::isolation {
namespace {

// A host kernel that asks for more scratch than this has miscounted; filling it would look like a hang.
constexpr std::uint64_t kLargestWorkspace = std::uint64_t{8} << 30;

}  // namespace

std::string WorkerWorkspaces::provide(const xqacheck_workspace& sizes, void** scratch, void** state) {
  if (std::string fault = workspace_fault(sizes, kLargestWorkspace); !fault.empty()) return fault;
  control_.scratch = plan_slot(sizes.scratch_bytes, sizes.scratch_align, request_->place, Access::write);
  control_.state = plan_slot(sizes.state_bytes, sizes.state_align, request_->place, Access::write);
  memory_.apply(kScratchSlot, control_.scratch);
  memory_.apply(kStateSlot, control_.state);
  fill_scratch(control_.scratch);
  fill_around(canary_pattern(request_->fill_seed, kStateSlot), control_.state, memory_.slot(kStateSlot));
  if (control_.state.bytes != 0) std::memset(memory_.data(kStateSlot, control_.state), 0, control_.state.bytes);
  *scratch = memory_.data(kScratchSlot, control_.scratch);
  *state = memory_.data(kStateSlot, control_.state);
  return "";
}

void WorkerWorkspaces::fill_scratch(const SlotPlan& plan) {
  fill_around(canary_pattern(request_->fill_seed, kScratchSlot), plan, memory_.slot(kScratchSlot));
  if (request_->keep_scratch != 0) return;
  write_pattern({request_->scratch, XQACHECK_NONE, request_->fill_seed, kScratchSlot}, plan.data,
                memory_.data(kScratchSlot, plan), plan.bytes);
}

std::int64_t WorkerWorkspaces::nonzero_state() {
  const auto mismatch = find_mismatch({Fill::zero, XQACHECK_NONE, 0, kStateSlot}, control_.state.data,
                                      memory_.data(kStateSlot, control_.state), control_.state.bytes);
  return mismatch ? static_cast<std::int64_t>(mismatch->first) : -1;
}

void WorkerWorkspaces::freeze() {
  for (std::uint32_t slot = kFirstTensorSlot; slot < kSlotCount; ++slot) memory_.freeze(slot);
}

}  // namespace xqacheck::properties::isolation
