#include "properties/report/header.hpp"

#include <unistd.h>

#include <array>
#include <ctime>

namespace xqacheck::properties {

KernelInfo info_of(const xqacheck_description& kernel, const std::string& source) {
  KernelInfo info;
  info.name = kernel.name;
  info.version = kernel.version ? kernel.version : "";
  info.memory = kernel.memory == XQACHECK_CUDA ? "cuda" : "host";
  if (kernel.recipe) info.recipe = std::string(kernel.recipe->family) + " " + kernel.recipe->arch;
  info.source = source;
  return info;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace xqacheck::properties
