// The memory of the device: what may be accessed, and its history.
#pragma once

#include <algorithm>
#include <map>
#include <memory>

#include "emulation/ptx/check/monitor.hpp"
#include "emulation/ptx/check/shadow.hpp"

namespace xqacheck::ptx {

struct Block {
  Allocation allocation;
  Shadow shadow;
  Written written;

  explicit Block(const Allocation& from) : allocation(from), shadow(from.size), written(from.size) {
    if (from.initialised) written.set(0, from.size);
  }
};

class Allocations {
 public:
  void add(const Allocation& allocation);
  void remove(std::uint64_t base);  // with what `narrow` made of it
  // Only `part` of the allocation at `base` may be touched. Its history starts anew.
  void narrow(std::uint64_t base, const Allocation& part);
  // Calls f(block, offset, bytes) for what blocks hold of a range.
  template <class Function>
  void each_part(std::uint64_t base, std::uint64_t bytes, Function f) {
    for (auto at = first_at(base); at != blocks_.end() && at->first < base + bytes; ++at) {
      Block& block = *at->second;
      const std::uint64_t begin = std::max(base, at->first),
                          end = std::min(base + bytes, at->first + block.allocation.size);
      if (begin < end) f(block, begin - at->first, end - begin);
    }
  }
  // The block that holds `address`, or null.
  Block* find(std::uint64_t address);
  void forget_histories();
  // The block that begins or ends nearest to `address`, for messages; null if there are none.
  const Block* nearest(std::uint64_t address) const;

 private:
  using Blocks = std::map<std::uint64_t, std::unique_ptr<Block>>;  // by base
  Blocks::iterator first_at(std::uint64_t base);                   // that may hold base or lies behind it
  Blocks blocks_;
  std::map<std::uint64_t, std::uint64_t> narrowed_;  // base of the whole -> base of the part
  Block* last_ = nullptr;                            // accesses come in runs
};

}  // namespace xqacheck::ptx
