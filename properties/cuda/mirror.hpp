// Mirror: the tensors of a problem on the device, buffer by buffer, with the same canaries around them as in host
// memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/launch/seam.hpp"
#include "properties/isolation/launch.hpp"

namespace xqacheck::properties::cuda {

// One window (buffer and canaries) on the device.
class MirroredWindow {
 public:
  // Placement::plain copies the canaries too; end and begin put the buffer flush against unmapped device memory.
  MirroredWindow(kernels::launch::Device& device, const isolation::Window& window, Placement place);

  const isolation::Window& window() const { return window_; }
  kernels::launch::Address begin() const;  // of what is copied: canary or buffer
  kernels::launch::Address data() const;   // of the buffer
  std::byte* host_begin() const { return plain_ ? window_.begin : window_.data(); }
  std::size_t copied_bytes() const { return plain_ ? window_.before + window_.bytes + window_.after : window_.bytes; }

  // Also tells the device what the buffer is, by name: an input is only read. `written_by_kernel`: a kernel of the
  // harness fills this input.
  void upload(kernels::launch::Stream& stream, bool written_by_kernel = false);
  void download(kernels::launch::Stream& stream);  // host memory must be writable
  // Compares the device's bytes with the host's: "" or where they differ first.
  std::string changed(kernels::launch::Stream& stream) const;

 private:
  void describe(bool input);
  void copy_contents(kernels::launch::Stream& stream);

  kernels::launch::Device& device_;
  isolation::Window window_;
  bool plain_;
  std::unique_ptr<kernels::launch::Buffer> buffer_;
};

// All tensors of a problem; `problem()` is the same problem with device addresses.
class Mirror {
 public:
  Mirror(kernels::launch::Device& device, const xqacheck_problem& problem, const isolation::LaunchSite& site);

  const xqacheck_problem& problem() const { return problem_; }
  std::vector<MirroredWindow>& windows() { return windows_; }
  MirroredWindow* find(const std::string& name);

 private:
  void* moved(const void* host) const;

  std::vector<MirroredWindow> windows_;
  xqacheck_problem problem_;
};

}  // namespace xqacheck::properties::cuda
