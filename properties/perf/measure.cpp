#include "properties/perf/measure.hpp"

#include <algorithm>
#include <memory>

#include "properties/perf/timed_kernel.hpp"

namespace xqacheck::properties::perf {
namespace {

using kernels::launch::Device;
using kernels::launch::Event;
using kernels::launch::Stream;

constexpr std::uint64_t kUsualCache = std::uint64_t{64} << 20;  // where a device does not say: larger than any so far
constexpr std::uint64_t kCacheFactor = 4;      // what a launch left in the cache is gone before its copy is met again
constexpr std::uint64_t kMemoryShare = 4;      // copies take at most a quarter of the device's memory
constexpr std::uint64_t kCopyBytes = std::uint64_t{256} << 20;  // a copy of this size runs at full speed

class Stopwatch {
 public:
  Stopwatch(Device& device, Stream& stream)
      : device_(device), stream_(stream), begin_(device.event()), end_(device.event()) {}

  // Milliseconds of what `work` puts on the stream.
  template <class Work>
  double time(Work work) {
    device_.record(*begin_, stream_);
    work();
    device_.record(*end_, stream_);
    return device_.elapsed_milliseconds(*begin_, *end_);
  }

 private:
  Device& device_;
  Stream& stream_;
  std::unique_ptr<Event> begin_, end_;
};

std::uint64_t cache_of(const kernels::launch::DeviceInfo& device) {
  return device.l2_bytes != 0 ? device.l2_bytes : kUsualCache;
}

}  // namespace

Copies plan_copies(std::uint64_t bytes, const kernels::launch::DeviceInfo& device, const MeasureOptions& options) {
  const std::uint64_t wanted = options.rotation_bytes != 0 ? options.rotation_bytes : kCacheFactor * cache_of(device);
  const std::uint64_t size = std::max<std::uint64_t>(bytes, 1);
  std::uint64_t count = std::max<std::uint64_t>((wanted + size - 1) / size, 2);  // at least one other between two uses
  count = std::min<std::uint64_t>(count, options.most_copies);
  if (device.memory_bytes != 0)
    count = std::clamp<std::uint64_t>(device.memory_bytes / kMemoryShare / size, 1, count);
  return {static_cast<std::uint32_t>(count), count * bytes, count * bytes > cache_of(device)};
}

CaseTiming measure(Device& device, const reference::Problem& problem, const std::vector<const xqacheck_kernel*>& kernels,
                   const MeasureOptions& options) {
  CaseTiming result;
  result.traffic = traffic_of(problem);
  const auto stream = device.stream();
  cuda::DeviceProblems copies;
  copies.push_back(std::make_unique<cuda::DeviceProblem>(device, *stream, problem));
  result.copies = plan_copies(copies.front()->bytes(), device.info(), options);
  while (copies.size() < result.copies.count)
    copies.push_back(std::make_unique<cuda::DeviceProblem>(*copies.front(), *stream));

  std::vector<std::unique_ptr<TimedKernel>> timed;
  for (const xqacheck_kernel* kernel : kernels)
    timed.push_back(std::make_unique<TimedKernel>(device, *stream, *kernel, copies, options));
  Stopwatch watch(device, *stream);
  for (const auto& kernel : timed) {
    if (!kernel->accepted()) continue;
    double spent = 0;
    do {
      spent += watch.time([&] { kernel->run_sample(); });
    } while (spent < options.warm_up_milliseconds);
  }
  std::vector<std::vector<double>> samples(timed.size());
  for (std::uint32_t i = 0; i < options.samples; ++i)
    for (std::size_t k = 0; k < timed.size(); ++k)
      if (timed[k]->accepted())
        samples[k].push_back(watch.time([&] { timed[k]->run_sample(); }) * 1000 / timed[k]->launches());
  for (std::size_t k = 0; k < timed.size(); ++k) {
    Timing timing = timed[k]->timing();
    timing.microseconds = quartiles_of(std::move(samples[k]));
    result.kernels.push_back(std::move(timing));
  }
  return result;
}

double CopySpeed::bytes_per_second() const {
  return microseconds.median > 0 ? 2.0 * static_cast<double>(bytes) / (microseconds.median * 1e-6) : 0;
}

CopySpeed measure_copy(Device& device, const MeasureOptions& options) {
  const auto info = device.info();
  CopySpeed speed;
  speed.bytes = std::max(kCopyBytes, kCacheFactor * cache_of(info));
  if (info.memory_bytes != 0) speed.bytes = std::min(speed.bytes, info.memory_bytes / kMemoryShare);
  const auto stream = device.stream();
  const auto from = device.allocate(speed.bytes, 256, kernels::launch::Guard::none);
  const auto to = device.allocate(speed.bytes, 256, kernels::launch::Guard::none);
  device.fill(from->address(), 1, speed.bytes, stream.get());
  Stopwatch watch(device, *stream);
  const auto copy = [&] { device.copy(to->address(), from->address(), speed.bytes, stream.get()); };
  double spent = 0;
  do {
    spent += watch.time(copy);
  } while (spent < options.warm_up_milliseconds);
  std::vector<double> samples;
  for (std::uint32_t i = 0; i < options.samples; ++i) samples.push_back(watch.time(copy) * 1000);
  speed.microseconds = quartiles_of(std::move(samples));
  return speed;
}

}  // namespace xqacheck::properties::perf
