#include "reference/host_buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace xqacheck::reference {
namespace {

constexpr std::size_t kAlign = 256;                      // as cudaMalloc aligns
constexpr std::size_t kMapBytes = std::size_t{1} << 20;  // smaller ones come from the heap: mapping costs page faults

}  // namespace

void HostBufferRelease::operator()(std::byte* p) const {
  if (mapped == 0) {
    std::free(p);
  } else {
    munmap(p, mapped);
  }
  if (descriptor >= 0) close(descriptor);
}

HostBuffer::HostBuffer(std::size_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  if (bytes < kMapBytes) {
    const std::size_t rounded = (bytes + kAlign - 1) / kAlign * kAlign;
    auto* p = static_cast<std::byte*>(std::aligned_alloc(kAlign, rounded));
    if (p == nullptr) throw std::bad_alloc();
    std::memset(p, 0, rounded);
    data_ = {p, HostBufferRelease{}};
    return;
  }
  int descriptor = -1;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  if (bytes >= kSparseBytes) {
    // A memory file, because it can say later which of its pages were written.
    descriptor = memfd_create("xqacheck-pool", MFD_CLOEXEC);
    if (descriptor < 0 || ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
      if (descriptor >= 0) close(descriptor);
      throw std::bad_alloc();
    }
    flags = MAP_SHARED | MAP_NORESERVE;
  }
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0);
  if (p == MAP_FAILED) {
    if (descriptor >= 0) close(descriptor);
    throw std::bad_alloc();
  }
  data_ = {static_cast<std::byte*>(p), HostBufferRelease{bytes, descriptor}};
}

std::vector<HostBuffer::Range> HostBuffer::written_ranges() const {
  if (size_ == 0) return {};
  if (!sparse()) return {{0, size_}};
  const int descriptor = data_.get_deleter().descriptor;
  std::vector<Range> ranges;
  off_t end = 0;
  while (true) {
    const off_t start = lseek(descriptor, end, SEEK_DATA);
    if (start < 0) return ranges;  // no written page behind `end`
    end = lseek(descriptor, start, SEEK_HOLE);
    ranges.push_back({static_cast<std::size_t>(start), std::min<std::size_t>(end, size_) - start});
  }
}

HostBuffer HostBuffer::clone() const {
  HostBuffer copy(size_);
  for (const Range& range : written_ranges()) {
    std::memcpy(copy.data() + range.offset, data() + range.offset, range.bytes);
  }
  return copy;
}

}  // namespace xqacheck::reference
