#include "emulation/ptx/check/allocations.hpp"

namespace xqacheck::ptx {

void Allocations::add(const Allocation& allocation) {
  last_ = nullptr;
  blocks_[allocation.base] = std::make_unique<Block>(allocation);
}

void Allocations::remove(std::uint64_t base) {
  last_ = nullptr;
  const auto part = narrowed_.find(base);
  blocks_.erase(part != narrowed_.end() ? part->second : base);
  narrowed_.erase(base);
}

void Allocations::narrow(std::uint64_t base, const Allocation& part) {
  remove(base);
  add(part);
  narrowed_[base] = part.base;
}

Allocations::Blocks::iterator Allocations::first_at(std::uint64_t base) {
  auto at = blocks_.upper_bound(base);
  return at == blocks_.begin() ? at : std::prev(at);
}

void Allocations::forget_histories() {
  for (auto& [base, block] : blocks_) block->shadow = Shadow(block->allocation.size);
}

Block* Allocations::find(std::uint64_t address) {
  if (last_ != nullptr && address - last_->allocation.base < last_->allocation.size) return last_;
  auto at = blocks_.upper_bound(address);
  if (at == blocks_.begin()) return nullptr;
  Block& block = *std::prev(at)->second;
  if (address - block.allocation.base >= block.allocation.size) return nullptr;
  last_ = &block;
  return &block;
}

const Block* Allocations::nearest(std::uint64_t address) const {
  const auto after = blocks_.upper_bound(address);
  const Block* best = nullptr;
  std::uint64_t distance = ~0ull;
  if (after != blocks_.end()) best = after->second.get(), distance = after->first - address;
  if (after != blocks_.begin()) {
    const Block& before = *std::prev(after)->second;
    const std::uint64_t end = before.allocation.base + before.allocation.size;
    if (address < end || address - end < distance) best = &before;
  }
  return best;
}

}  // namespace xqacheck::ptx
