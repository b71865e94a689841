#include "emulation/ptx/machine/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>

#include "emulation/ptx/machine/zero_pages.hpp"

namespace xqacheck::ptx {
namespace {

constexpr std::uint64_t kPage = 4096;
// Unmapped space between blocks: a stray index of some thousand elements hits nothing.
constexpr std::uint64_t kGap = std::uint64_t{1} << 21;

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}

}  // namespace

std::uint64_t DeviceMemory::allocate(std::uint64_t size, std::uint64_t align, std::string name, bool tail) {
  Block block;
  const std::uint64_t begin = round_up(next_, std::max(align, kPage));
  const std::uint64_t end = round_up(begin + std::max<std::uint64_t>(size, 1), kPage);
  block.base = tail ? (end - size) / align * align : begin;
  block.size = size;
  block.owner = zero_pages(size + 1);  // an empty block has an address, too
  block.bytes = static_cast<std::byte*>(block.owner.get());
  block.name = std::move(name);
  next_ = end + kGap;
  last_ = nullptr;
  const std::uint64_t base = block.base;
  blocks_[base] = std::move(block);
  return base;
}

void DeviceMemory::free(std::uint64_t base) {
  last_ = nullptr;
  blocks_.erase(base);
}

void DeviceMemory::set_read_only(std::uint64_t base, bool read_only) {
  if (const auto found = blocks_.find(base); found != blocks_.end()) found->second.read_only = read_only;
}

bool DeviceMemory::zero(std::uint64_t address, std::uint64_t bytes) {
  std::byte* begin = at(address, bytes);
  if (begin == nullptr) return false;
  std::byte* end = begin + bytes;
  // The memory of a block begins at a page of the host, whatever its address on the device.
  const auto page_of = [](std::byte* at) { return reinterpret_cast<std::uintptr_t>(at); };
  std::byte* first = begin + (kPage - page_of(begin) % kPage) % kPage;
  std::byte* last = end - page_of(end) % kPage;
  if (first < last && madvise(first, static_cast<std::size_t>(last - first), MADV_DONTNEED) == 0) {
    std::memset(begin, 0, static_cast<std::size_t>(first - begin));
    std::memset(last, 0, static_cast<std::size_t>(end - last));
  } else {
    std::memset(begin, 0, bytes);
  }
  return true;
}

const DeviceMemory::Block* DeviceMemory::search(std::uint64_t address, std::uint64_t bytes) const {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  const Block& block = std::prev(after)->second;
  const std::uint64_t offset = address - block.base;
  if (offset > block.size || bytes > block.size - offset) return nullptr;
  last_.store(&block, std::memory_order_relaxed);
  return &block;
}

std::string DeviceMemory::describe(std::uint64_t address) const {
  auto after = blocks_.upper_bound(address);
  if (after != blocks_.begin()) {
    const Block& block = std::prev(after)->second;
    const std::uint64_t offset = address - block.base;
    if (offset < block.size) return fmt::format("{} + {}", block.name, offset);
    if (offset < block.size + kGap)
      return fmt::format("{} bytes behind the end of {} ({} bytes)", offset - block.size, block.name, block.size);
  }
  if (after != blocks_.end() && after->first - address < kGap)
    return fmt::format("{} bytes before {}", after->first - address, after->second.name);
  return "in no allocation";
}

}  // namespace xqacheck::ptx
