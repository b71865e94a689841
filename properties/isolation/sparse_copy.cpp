#include "properties/isolation/sparse_copy.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "properties/isolation/slots.hpp"
#include "properties/isolation/unique_fd.hpp"

namespace xqacheck::properties::isolation {
namespace {

// Page-map entries read in one go: 64 KiB of entries describe 32 MiB of addresses.
constexpr std::size_t kEntriesAtOnce = 8192;
// Bits 62 and 63 of an entry: swapped, present (Linux, Documentation/admin-guide/mm/pagemap.rst).
constexpr std::uint64_t kExists = (std::uint64_t{1} << 62) | (std::uint64_t{1} << 63);

// Whether each page of a range has memory behind it; "yes" for all where the page map cannot be read.
class PageMap {
 public:
  PageMap() : file_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}

  bool exists(std::uint64_t page) {
    if (!file_) return true;
    if (page < first_ || page >= first_ + entries_.size()) {
      entries_.resize(kEntriesAtOnce);
      const ssize_t got = pread(file_.get(), entries_.data(), kEntriesAtOnce * sizeof(std::uint64_t),
                                static_cast<off_t>(page * sizeof(std::uint64_t)));
      first_ = page;
      entries_.resize(got > 0 ? static_cast<std::size_t>(got) / sizeof(std::uint64_t) : 0);
      if (entries_.empty()) return true;
    }
    return (entries_[page - first_] & kExists) != 0;
  }

 private:
  UniqueFd file_;
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> entries_;
};

bool all_zero(const std::byte* data, std::uint64_t bytes) {
  return data[0] == std::byte{0} && std::memcmp(data, data + 1, bytes - 1) == 0;
}

}  // namespace

void for_nonzero_ranges(const std::byte* data, std::uint64_t bytes, RangeAction action, void* context) {
  if (bytes == 0) return;
  if (bytes < kSparseFrom) {
    action(context, 0, bytes);
    return;
  }
  PageMap map;
  const auto address = reinterpret_cast<std::uint64_t>(data);
  std::uint64_t run_begin = 0, run_end = 0;  // pending range
  for (std::uint64_t at = 0; at < bytes;) {
    const std::uint64_t page_end = std::min(bytes, ((address + at) / kPage + 1) * kPage - address);
    if (map.exists((address + at) / kPage) && !all_zero(data + at, page_end - at)) {
      if (at != run_end) {
        if (run_end > run_begin) action(context, run_begin, run_end);
        run_begin = at;
      }
      run_end = page_end;
    }
    at = page_end;
  }
  if (run_end > run_begin) action(context, run_begin, run_end);
}

}  // namespace xqacheck::properties::isolation
