// What a result file says about the run before its first verdict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::properties {

struct KernelInfo {
  std::string name, version, memory, recipe;  // memory "host" or "cuda"; recipe "family arch", or "" for none
  std::string source;                         // path of the plug-in, "built-in" otherwise
};

KernelInfo info_of(const xqacheck_description& kernel, const std::string& source);

struct RunHeader {
  std::vector<std::string> command;  // as typed
  std::uint64_t seed = 0, cases = 0;
  std::uint32_t shard = 0, shards = 1, jobs = 1;
  std::vector<std::string> properties;
  std::vector<KernelInfo> kernels;
  std::vector<std::string> left_out;  // features that random cases leave out, as the kernel does not support them
  std::string device = "host";
  std::string host;     // node name, "" in tests
  std::string started;  // UTC, ISO 8601
};

std::string utc_now();  // "2026-01-31T12:00:00Z"
std::string host_name();

}  // namespace xqacheck::properties
