#include "properties/isolation/worker_memory.hpp"

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace xqacheck::properties::isolation {
namespace {

int protection_of(Access access) {
  switch (access) {
    case Access::read:
      return PROT_READ;
    case Access::write:
      return PROT_READ | PROT_WRITE;
    default:
      return PROT_NONE;
  }
}

}  // namespace

WorkerMemory::WorkerMemory(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0)
    throw std::runtime_error(fmt::format("the shared memory cannot be examined ({})", std::strerror(errno)));
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  stride_ = bytes / kSlotCount;
  // Room to start at a multiple of the strictest alignment.
  void* room = mmap(nullptr, bytes + kLargestAlign, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    throw std::runtime_error(
        fmt::format("cannot reserve {} GiB of addresses ({}); raise `ulimit -v`", bytes >> 30, std::strerror(errno)));
  const std::uint64_t aligned =
      (reinterpret_cast<std::uint64_t>(room) + kLargestAlign - 1) / kLargestAlign * kLargestAlign;
  void* mapped =
      mmap(reinterpret_cast<void*>(aligned), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, 0);
  if (mapped == MAP_FAILED)
    throw std::runtime_error(fmt::format("cannot map the shared memory ({})", std::strerror(errno)));
  base_ = static_cast<std::byte*>(mapped);
}

void WorkerMemory::protect(std::uint32_t slot_index, std::uint64_t begin, std::uint64_t end, int protection) {
  if (begin == end) return;
  if (mprotect(slot(slot_index) + begin, end - begin, protection) != 0)
    throw std::runtime_error(
        fmt::format("cannot change the protection of {} ({})", slot_name(slot_index), std::strerror(errno)));
}

void WorkerMemory::apply(std::uint32_t slot_index, const SlotPlan& plan) {
  Window& window = windows_[slot_index];
  const Window wanted{plan.map_begin, plan.map_end, protection_of(plan.access)};
  if (wanted.protection == PROT_NONE || wanted.begin == wanted.end) {
    if (window.protection != PROT_NONE) protect(slot_index, window.begin, window.end, PROT_NONE);
    window = Window{};
    return;
  }
  const bool same_range = window.begin == wanted.begin && window.end == wanted.end;
  if (same_range && window.protection == wanted.protection) return;
  if (!same_range && window.protection != PROT_NONE) protect(slot_index, window.begin, window.end, PROT_NONE);
  protect(slot_index, wanted.begin, wanted.end, wanted.protection);
  window = wanted;
}

void WorkerMemory::freeze(std::uint32_t slot_index) {
  Window& window = windows_[slot_index];
  if (window.protection != (PROT_READ | PROT_WRITE)) return;
  protect(slot_index, window.begin, window.end, PROT_READ);
  window.protection = PROT_READ;
}

}  // namespace xqacheck::properties::isolation
