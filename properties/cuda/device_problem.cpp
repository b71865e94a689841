#include "properties/cuda/device_problem.hpp"

#include "reference/gather.hpp"

namespace xqacheck::properties::cuda {
namespace {

using reference::TensorId;

constexpr std::uint64_t kAnyAlign = 256;  // what cuMemAlloc gives at least, and more than any problem promises

isolation::Window window_of(TensorId id, const std::byte* data, std::size_t bytes, bool writable) {
  isolation::Window window;
  window.name = reference::name_of(id);
  window.begin = const_cast<std::byte*>(data);  // inputs are only read: `writable` says which are not
  window.bytes = bytes;
  window.align = kAnyAlign;
  window.writable = writable;
  window.undefined = writable;  // output and LSE
  return window;
}

}  // namespace

DeviceProblem::DeviceProblem(kernels::launch::Device& device, kernels::launch::Stream& stream,
                             const reference::Problem& problem)
    : device_(device), stream_(stream), problem_(problem) {
  lay_out();
  for (MirroredWindow& window : mirror_->windows())
    if (!window.window().writable) window.upload(stream_);
  device_.synchronize(stream_);
}

DeviceProblem::DeviceProblem(const DeviceProblem& other, kernels::launch::Stream& stream)
    : device_(other.device_), stream_(stream), problem_(other.problem_) {
  lay_out();
  auto& from = other.mirror_->windows();
  auto& to = mirror_->windows();
  for (std::size_t i = 0; i < to.size(); ++i)
    if (!to[i].window().writable) device_.copy(to[i].begin(), from[i].begin(), to[i].copied_bytes(), &stream_);
  device_.synchronize(stream_);
}

void DeviceProblem::lay_out() {
  out_.resize(problem_.out_bytes());
  lse_.resize(problem_.lse_bytes());
  isolation::LaunchSite site;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(TensorId::out); ++i) {
    const auto& tensor = problem_.tensors[i];
    if (tensor.size() == 0) continue;
    site.windows.push_back(window_of(static_cast<TensorId>(i), tensor.data(), tensor.size(), false));
    site.windows.back().sparse = tensor.sparse();
    if (tensor.sparse()) site.windows.back().written = tensor.written_ranges();
  }
  if (!out_.empty()) site.windows.push_back(window_of(TensorId::out, out_.data(), out_.size(), true));
  if (!lse_.empty()) site.windows.push_back(window_of(TensorId::lse, lse_.data(), lse_.size(), true));
  for (const isolation::Window& window : site.windows) bytes_ += window.bytes;
  mirror_ = std::make_unique<Mirror>(device_, problem_.view(out_.data(), lse_.empty() ? nullptr : lse_.data()), site);
}

void DeviceProblem::download() {
  const xqacheck_problem& p = view();
  const std::uint64_t size = reference::bytes_of_abi(p.out.dtype);
  const std::uint64_t dense = std::uint64_t{p.total_rows} * p.q_heads * p.head_dim_v * size;
  for (MirroredWindow& window : mirror_->windows()) {
    if (!window.window().writable) continue;
    if (window.window().name != reference::name_of(TensorId::out) || dense == window.window().bytes) {
      window.download(stream_);
      continue;
    }
    // Gaps between rows or heads are nobody's: initcheck would call their copy a read of uninitialised memory.
    for (std::uint32_t row = 0; row < p.total_rows; ++row)
      for (std::uint32_t head = 0; head < p.q_heads; ++head) {
        const auto at = static_cast<std::uint64_t>(row * p.out_stride_row + head * p.out_stride_head) * size;
        device_.download(out_.data() + at, window.data() + at, p.head_dim_v * size, &stream_);
      }
  }
  device_.synchronize(stream_);
}

}  // namespace xqacheck::properties::cuda
