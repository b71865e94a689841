// Device memory of the machine: allocations at addresses of its own, so that runs are repeatable and every access
// outside an allocation is seen.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace xqacheck::ptx {

// Generic addresses. Their low 32 bits are the address inside the space, as on hardware.
inline constexpr std::uint64_t kSharedWindow = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kLocalWindow = std::uint64_t{2} << 32;
inline constexpr std::uint64_t kParamWindow = std::uint64_t{3} << 32;
// First global address; far above the windows, so that a small wrong offset never lands in another space.
inline constexpr std::uint64_t kGlobalBegin = std::uint64_t{0x7f} << 40;

class DeviceMemory {
 public:
  struct Block {
    std::uint64_t base = 0, size = 0;
    std::byte* bytes = nullptr;
    std::string name;
    bool read_only = false;
    std::shared_ptr<void> owner;
  };

  // Zero bytes are allowed (a unique address). `align` a power of two. With `tail` the block ends at a multiple of
  // 4096 as nearly as align allows: its alignment is no better than asked for.
  std::uint64_t allocate(std::uint64_t size, std::uint64_t align, std::string name, bool tail = false);
  void free(std::uint64_t base);
  void set_read_only(std::uint64_t base, bool read_only);
  // [address, address + bytes) of one block becomes zero; whole pages go back to the system, so that a pool of many GiB
  // costs nothing. False, and nothing is changed, when the range lies in no block.
  bool zero(std::uint64_t address, std::uint64_t bytes);

  // The block that holds all of [address, address + bytes), or null.
  const Block* find(std::uint64_t address, std::uint64_t bytes) const {
    const Block* last = last_.load(std::memory_order_relaxed);
    if (last != nullptr && address - last->base < last->size && bytes <= last->size - (address - last->base))
      return last;
    return search(address, bytes);
  }
  std::byte* at(std::uint64_t address, std::uint64_t bytes) const {
    const Block* block = find(address, bytes);
    return block == nullptr ? nullptr : block->bytes + (address - block->base);
  }
  // "q + 128", or where the nearest allocations are.
  std::string describe(std::uint64_t address) const;
  const std::map<std::uint64_t, Block>& blocks() const { return blocks_; }

 private:
  const Block* search(std::uint64_t address, std::uint64_t bytes) const;
  std::map<std::uint64_t, Block> blocks_;
  mutable std::atomic<const Block*> last_ = nullptr;  // accesses come in runs; CTAs may run on several threads
  std::uint64_t next_ = kGlobalBegin;
};

}  // namespace xqacheck::ptx
