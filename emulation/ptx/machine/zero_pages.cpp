#include "emulation/ptx/machine/zero_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace xqacheck::ptx {

std::shared_ptr<void> zero_pages(std::uint64_t bytes) {
  const std::uint64_t mapped = std::max<std::uint64_t>(bytes, 1);  // the kernel rounds up to pages, and refuses 0
  void* at = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  return {at, [mapped](void* block) { munmap(block, mapped); }};
}

}  // namespace xqacheck::ptx
