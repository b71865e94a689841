#include "kernels/launch/seam.hpp"

#include <fmt/format.h>

namespace xqacheck::kernels::launch {
namespace {
Device* g_active = nullptr;
}

std::string text_of(const DeviceInfo& info) {
  return fmt::format("{} ({}, {} SMs, driver {}, CUDA {})", info.name, info.arch, info.sm_count,
                     info.driver.empty() ? "unknown" : info.driver, info.driver_api);
}

void Device::copy(Address to, Address from, std::size_t bytes, Stream* stream) {
  std::vector<std::byte> host(bytes);
  download(host.data(), from, bytes, stream);
  if (stream != nullptr) synchronize(*stream);
  upload(to, host.data(), bytes, stream);
  if (stream != nullptr) synchronize(*stream);  // `host` ends here
}

Device* active_device() {
  return g_active;
}
void set_active_device(Device* device) {
  g_active = device;
}

}  // namespace xqacheck::kernels::launch
