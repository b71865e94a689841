// The memory of the device: what may be accessed, and its history.
#pragma once

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
  void remove(std::uint64_t base);
  // The block that holds `address`, or null.
  Block* find(std::uint64_t address);
  void forget_histories();
  // The block that begins or ends nearest to `address`, for messages; null if there are none.
  const Block* nearest(std::uint64_t address) const;

 private:
  std::map<std::uint64_t, std::unique_ptr<Block>> blocks_;  // by base
  Block* last_ = nullptr;                                   // accesses come in runs
};

}  // namespace xqacheck::ptx
