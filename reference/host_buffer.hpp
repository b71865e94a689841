// HostBuffer: zero-initialised host memory, 256-byte aligned. Very large buffers are sparse: only what is written takes
// memory.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace xqacheck::reference {

struct HostBufferRelease {
  std::size_t mapped = 0;  // bytes to unmap; 0: from the heap
  int descriptor = -1;     // of the memory file behind a sparse buffer
  void operator()(std::byte* p) const;
};

class HostBuffer {
 public:
  HostBuffer() = default;
  HostBuffer(HostBuffer&& other) noexcept : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  // Throws std::bad_alloc.
  explicit HostBuffer(std::size_t bytes);

  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data_.get());
  }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_.get());
  }

  // A copy with the same contents, sparse where this one is.
  HostBuffer clone() const;

  // The parts that may hold anything but zeros, ascending and disjoint. The whole buffer unless it is sparse: what a
  // copy to another process or device has to transfer.
  struct Range {
    std::size_t offset, bytes;
  };
  std::vector<Range> written_ranges() const;
  bool sparse() const { return data_ && data_.get_deleter().descriptor >= 0; }

 private:
  std::unique_ptr<std::byte[], HostBufferRelease> data_;
  std::size_t size_ = 0;
};

// From this size on a buffer is sparse: above any ordinary pool of a test, below the smallest far pool (2^31 elements).
inline constexpr std::size_t kSparseBytes = std::size_t{1} << 30;

}  // namespace xqacheck::reference
