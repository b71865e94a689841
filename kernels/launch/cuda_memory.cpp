#include "kernels/launch/cuda_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xqacheck::kernels::launch {
namespace {

void check(CUresult result, const char* call) {
  if (result != CUDA_SUCCESS)
    throw DeviceError(fmt::format("{} fails with {}", call, static_cast<int>(result)), result);
}

class PlainBuffer : public Buffer {
 public:
  PlainBuffer(const CudaApi& cu, std::size_t bytes) : cu_(cu), size_(bytes) {
    check(cu_.cuMemAlloc(&address_, std::max<std::size_t>(bytes, 1)), "cuMemAlloc");
  }
  ~PlainBuffer() override { cu_.cuMemFree(address_); }
  Address address() const override { return address_; }
  std::size_t size() const override { return size_; }

 private:
  const CudaApi& cu_;
  CUdeviceptr address_ = 0;
  std::size_t size_;
};

// reserved:  [granule unmapped][mapped: whole granules][granule unmapped]
class GuardedBuffer : public Buffer {
 public:
  GuardedBuffer(const CudaApi& cu, CUdevice device, std::size_t bytes, std::size_t align, Guard guard)
      : cu_(cu), size_(bytes) {
    CUmemAllocationProp property{};
    property.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    property.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    check(cu_.cuMemGetAllocationGranularity(&granule_, &property, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
          "cuMemGetAllocationGranularity");
    mapped_ = (std::max<std::size_t>(bytes, 1) + granule_ - 1) / granule_ * granule_;
    check(cu_.cuMemAddressReserve(&reserved_, mapped_ + 2 * granule_, 0, 0, 0), "cuMemAddressReserve");
    try {
      check(cu_.cuMemCreate(&memory_, mapped_, &property, 0), "cuMemCreate");
      check(cu_.cuMemMap(reserved_ + granule_, mapped_, 0, memory_, 0), "cuMemMap");
      is_mapped_ = true;
      const CUmemAccessDesc access{property.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
      check(cu_.cuMemSetAccess(reserved_ + granule_, mapped_, &access, 1), "cuMemSetAccess");
    } catch (...) {
      release();
      throw;
    }
    const Address begin = reserved_ + granule_;
    // The end of the buffer lies as near to the unmapped granule as the promised alignment of its start allows.
    address_ = guard == Guard::at_begin ? begin : begin + (mapped_ - bytes) / align * align;
  }
  ~GuardedBuffer() override { release(); }
  Address address() const override { return address_; }
  std::size_t size() const override { return size_; }

 private:
  void release() {
    if (is_mapped_) cu_.cuMemUnmap(reserved_ + granule_, mapped_);
    if (memory_ != 0) cu_.cuMemRelease(memory_);
    if (reserved_ != 0) cu_.cuMemAddressFree(reserved_, mapped_ + 2 * granule_);
  }

  const CudaApi& cu_;
  std::size_t size_, granule_ = 0, mapped_ = 0;
  CUdeviceptr reserved_ = 0;
  CUmemGenericAllocationHandle memory_ = 0;
  bool is_mapped_ = false;
  Address address_ = 0;
};

}  // namespace

std::unique_ptr<Buffer> allocate_cuda_buffer(const CudaApi& cu, CUdevice device, std::size_t bytes, std::size_t align,
                                             Guard guard) {
  if (guard == Guard::none) return std::make_unique<PlainBuffer>(cu, bytes);
  return std::make_unique<GuardedBuffer>(cu, device, bytes, align, guard);
}

}  // namespace xqacheck::kernels::launch
