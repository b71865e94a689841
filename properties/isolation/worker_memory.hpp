// The shared memory as a worker sees it: all slots mapped once, every page PROT_NONE but those of the present case.
#pragma once

#include <cstddef>
#include <cstdint>

#include "properties/isolation/slots.hpp"

namespace xqacheck::properties::isolation {

class WorkerMemory {
 public:
  // Maps the whole file; the descriptor may be closed afterwards: a kernel must not find it. Throws std::runtime_error.
  explicit WorkerMemory(int fd);

  std::uint64_t base() const { return reinterpret_cast<std::uint64_t>(base_); }
  std::byte* slot(std::uint32_t slot) const { return base_ + slot * stride_; }
  std::byte* data(std::uint32_t slot, const SlotPlan& plan) const { return this->slot(slot) + plan.data; }

  // Makes exactly the planned pages of a slot touchable, as planned.
  void apply(std::uint32_t slot, const SlotPlan& plan);
  // Read-only from now on: a thread that the kernel left behind and that still writes is caught.
  void freeze(std::uint32_t slot);

 private:
  void protect(std::uint32_t slot, std::uint64_t begin, std::uint64_t end, int protection);

  struct Window {
    std::uint64_t begin = 0, end = 0;
    int protection = 0;  // PROT_NONE
  };
  std::byte* base_ = nullptr;
  std::uint64_t stride_ = 0;
  Window windows_[kSlotCount];
};

}  // namespace xqacheck::properties::isolation
