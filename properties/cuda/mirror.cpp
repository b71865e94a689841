#include "properties/cuda/mirror.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "properties/isolation/tensor_fields.hpp"

namespace xqacheck::properties::cuda {

using kernels::launch::Address;
using kernels::launch::Guard;

namespace {

Guard guard_of(Placement place) {
  return place == Placement::end ? Guard::at_end : place == Placement::begin ? Guard::at_begin : Guard::none;
}

}  // namespace

MirroredWindow::MirroredWindow(kernels::launch::Device& device, const isolation::Window& window, Placement place)
    : device_(device), window_(window), plain_(place == Placement::plain) {
  buffer_ = device.allocate(copied_bytes(), std::max<std::uint64_t>(window.align, 1), guard_of(place));
  describe(!window_.writable);
}

Address MirroredWindow::begin() const {
  return buffer_->address();
}
Address MirroredWindow::data() const {
  return plain_ ? buffer_->address() + window_.before : buffer_->address();
}
void MirroredWindow::describe(bool input) {
  device_.describe(begin(), data(), window_.bytes, window_.name, input);
}
void MirroredWindow::upload(kernels::launch::Stream& stream, bool written_by_kernel) {
  if (written_by_kernel) describe(false);
  copy_contents(stream);
  if (window_.undefined) describe(!window_.writable);
}
void MirroredWindow::copy_contents(kernels::launch::Stream& stream) {
  if (!window_.sparse) {
    device_.upload(begin(), host_begin(), copied_bytes(), &stream);
    return;
  }
  // A pool of gigabytes that is nearly all zeros: reading its holes on the host would make them real memory.
  device_.fill(data(), 0, window_.bytes, &stream);
  for (const reference::HostBuffer::Range& range : window_.written)
    device_.upload(data() + range.offset, window_.data() + range.offset, range.bytes, &stream);
  if (!plain_) return;
  device_.upload(begin(), window_.begin, window_.before, &stream);
  device_.upload(data() + window_.bytes, window_.data() + window_.bytes, window_.after, &stream);
}
void MirroredWindow::download(kernels::launch::Stream& stream) {
  device_.download(host_begin(), begin(), copied_bytes(), &stream);
}

std::string MirroredWindow::changed(kernels::launch::Stream& stream) const {
  std::vector<std::byte> now(copied_bytes());
  device_.download(now.data(), begin(), now.size(), &stream);
  device_.synchronize(stream);
  const auto* before = host_begin();
  const auto [left, right] = std::mismatch(now.begin(), now.end(), before);
  if (left == now.end()) return "";
  const auto offset = (left - now.begin()) - static_cast<std::ptrdiff_t>(plain_ ? window_.before : 0);
  return fmt::format("wrote to input {} at byte {}", window_.name, offset);
}

Mirror::Mirror(kernels::launch::Device& device, const xqacheck_problem& problem, const isolation::LaunchSite& site)
    : problem_(problem) {
  windows_.reserve(site.windows.size());
  for (const auto& window : site.windows) windows_.emplace_back(device, window, site.place);
  for (const auto& field : isolation::kTensorFields) {
    xqacheck_tensor& tensor = problem_.*field.field;
    if (tensor.data == nullptr) continue;
    tensor.data = moved(tensor.data);
    tensor.memory = XQACHECK_CUDA;
  }
  for (const auto& field : isolation::kScaleFields) {
    xqacheck_scale& scale = problem_.*field.field;
    if (scale.pointer != nullptr) scale.pointer = static_cast<const float*>(moved(scale.pointer));
  }
  for (xqacheck_tensor* tensor : {&problem_.out, &problem_.lse}) {
    if (tensor->data == nullptr) continue;
    tensor->data = moved(tensor->data);
    tensor->memory = XQACHECK_CUDA;
  }
}

void* Mirror::moved(const void* host) const {
  const auto* byte = static_cast<const std::byte*>(host);
  for (const auto& mirrored : windows_) {
    const auto& window = mirrored.window();
    if (byte >= window.data() && byte < window.data() + window.bytes)
      return std::bit_cast<void*>(mirrored.data() + static_cast<Address>(byte - window.data()));
  }
  return nullptr;  // present but empty: nothing may be touched there
}

MirroredWindow* Mirror::find(const std::string& name) {
  for (auto& window : windows_)
    if (window.window().name == name) return &window;
  return nullptr;
}

}  // namespace xqacheck::properties::cuda
