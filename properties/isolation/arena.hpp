// Arena: the shared memory as the harness sees it. One sparse memory file; each slot is mapped as far as it was ever
// needed. Lives as long as its runner and outlives workers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "properties/isolation/slots.hpp"
#include "properties/isolation/unique_fd.hpp"
#include "reference/host_buffer.hpp"

namespace xqacheck::properties::isolation {

class Arena {
 public:
  Arena();  // throws EnvironmentError
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  int fd() const { return file_.get(); }
  std::uint64_t stride() const { return stride_; }

  // The slot's first byte, with at least [0, end) of it mapped. Throws EnvironmentError when `end` exceeds the stride.
  std::byte* slot(std::uint32_t slot, std::uint64_t end);

  // Copies bytes [begin, begin + bytes) of a tensor to `offset`. Of a sparse tensor only what was ever written is
  // copied; the rest reads as zeros and takes no memory.
  void copy_in(std::uint32_t slot, std::uint64_t offset, const reference::HostBuffer& source, std::uint64_t begin,
               std::uint64_t bytes);

  // Gives memory of large slots back: a pool of gigabytes must not stay while small cases run.
  void trim();

 private:
  struct Mapping {
    std::byte* begin = nullptr;
    std::uint64_t bytes = 0;
    std::uint64_t touched = 0;  // file bytes [0, touched) of the slot may hold memory
  };
  void punch(std::uint32_t slot, std::uint64_t begin, std::uint64_t end);

  UniqueFd file_;
  std::uint64_t stride_ = 0;
  Mapping mappings_[kSlotCount];
};

}  // namespace xqacheck::properties::isolation
