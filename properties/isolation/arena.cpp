#include "properties/isolation/arena.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "properties/errors.hpp"

namespace xqacheck::properties::isolation {
namespace {

// Addresses of a slot: enough for pools whose byte offsets overflow 32 bits many times over; a worker maps kSlotCount
// of them (under 2 TiB of the 128 TiB that a process has).
constexpr std::uint64_t kStride = std::uint64_t{64} << 30;
// Slots up to this size keep their memory from case to case.
constexpr std::uint64_t kKeep = std::uint64_t{64} << 20;
// Mappings grow in steps of at least this, so that growing cases do not map anew each time.
constexpr std::uint64_t kSmallestMapping = std::uint64_t{256} << 10;

// A limit on address space (ulimit -v) must leave room for the worker's other memory.
std::uint64_t affordable_stride() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kStride;
  return std::clamp(std::bit_floor(limit.rlim_cur / (2 * kSlotCount)), kLargestAlign, kStride);
}

}  // namespace

Arena::Arena() : file_(memfd_create("xqacheck-arena", MFD_CLOEXEC)), stride_(affordable_stride()) {
  if (!file_)
    throw EnvironmentError(fmt::format("cannot create shared memory (memfd_create: {})", std::strerror(errno)));
  if (ftruncate(file_.get(), static_cast<off_t>(kSlotCount * stride_)) != 0)
    throw EnvironmentError(
        fmt::format("cannot size shared memory to {} GiB of addresses (ftruncate: {}); raise `ulimit -f`",
                    kSlotCount * stride_ >> 30, std::strerror(errno)));
}

Arena::~Arena() {
  for (Mapping& mapping : mappings_)
    if (mapping.begin != nullptr) munmap(mapping.begin, mapping.bytes);
}

std::byte* Arena::slot(std::uint32_t slot, std::uint64_t end) {
  Mapping& mapping = mappings_[slot];
  mapping.touched = std::max(mapping.touched, end);
  if (end <= mapping.bytes) return mapping.begin;
  if (end > stride_ - kPage)
    throw EnvironmentError(
        fmt::format("{} needs {} bytes, a slot of shared memory holds {}; use a smaller pool or raise `ulimit -v`",
                    slot_name(slot), end, stride_ - kPage));
  const std::uint64_t bytes = std::min(stride_, std::bit_ceil(std::max(end, kSmallestMapping)));
  void* grown = mapping.begin == nullptr ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                                                file_.get(), static_cast<off_t>(slot * stride_))
                                         : mremap(mapping.begin, mapping.bytes, bytes, MREMAP_MAYMOVE);
  if (grown == MAP_FAILED)
    throw EnvironmentError(
        fmt::format("cannot map {} bytes for {} ({})", bytes, slot_name(slot), std::strerror(errno)));
  mapping.begin = static_cast<std::byte*>(grown);
  mapping.bytes = bytes;
  return mapping.begin;
}

void Arena::punch(std::uint32_t slot, std::uint64_t begin, std::uint64_t end) {
  if (fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(slot * stride_ + begin),
                static_cast<off_t>(end - begin)) != 0)
    throw EnvironmentError(fmt::format("cannot free shared memory of {} ({})", slot_name(slot), std::strerror(errno)));
}

void Arena::copy_in(std::uint32_t slot_index, std::uint64_t offset, const reference::HostBuffer& source,
                    std::uint64_t begin, std::uint64_t bytes) {
  std::byte* destination = slot(slot_index, offset + bytes) + offset;
  if (!source.sparse()) {
    if (bytes != 0) std::memcpy(destination, source.data() + begin, bytes);
    return;
  }
  punch(slot_index, 0, mappings_[slot_index].touched);
  for (const reference::HostBuffer::Range& range : source.written_ranges()) {
    const std::uint64_t from = std::max<std::uint64_t>(range.offset, begin);
    const std::uint64_t to = std::min<std::uint64_t>(range.offset + range.bytes, begin + bytes);
    if (from < to) std::memcpy(destination + (from - begin), source.data() + from, to - from);
  }
}

void Arena::trim() {
  for (std::uint32_t slot = 0; slot < kSlotCount; ++slot) {
    Mapping& mapping = mappings_[slot];
    if (mapping.touched <= kKeep) continue;
    punch(slot, kKeep, mapping.touched);
    mapping.touched = kKeep;
  }
}

}  // namespace xqacheck::properties::isolation
