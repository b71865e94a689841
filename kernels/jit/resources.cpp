#include <cstdio>
#include <sstream>

#include "kernels/jit/compile.hpp"

namespace xqacheck::kernels::jit {

// ptxas -v prints, for every entry function:
//   ptxas info    : Compiling entry function 'name' for 'sm_90a'
//   ptxas         .     256 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 40 registers, used 1 barriers, 256 bytes cumulative stack size, 1024 bytes smem
std::vector<ResourceUse> resources_from_log(const std::string& log) {
  std::vector<ResourceUse> kernels;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (const auto at = line.find("Compiling entry function '"); at != std::string::npos) {
      const auto begin = at + 26, end = line.find('\'', begin);
      kernels.push_back({line.substr(begin, end - begin)});
      continue;
    }
    if (kernels.empty()) continue;
    ResourceUse& use = kernels.back();
    if (const auto at = line.find(" bytes stack frame"); at != std::string::npos) {
      const auto digits = line.find_last_not_of("0123456789", at - 1) + 1;
      std::sscanf(line.c_str() + digits, "%u bytes stack frame, %u bytes spill stores, %u bytes spill loads",
                  &use.stack_bytes, &use.spill_stores, &use.spill_loads);
    }
    if (const auto at = line.find("Used "); at != std::string::npos)
      std::sscanf(line.c_str() + at, "Used %u registers", &use.registers);
    if (const auto at = line.find(" bytes smem"); at != std::string::npos) {
      const auto digits = line.find_last_not_of("0123456789", at - 1) + 1;
      std::sscanf(line.c_str() + digits, "%u bytes smem", &use.shared_bytes);
    }
  }
  return kernels;
}

}  // namespace xqacheck::kernels::jit
