// A kernel of fixtures/ptx/twins on the PTX machine with all checks, under one schedule.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "emulation/ptx/check/finding.hpp"
#include "emulation/ptx/front/module.hpp"
#include "emulation/ptx/schedule/schedule.hpp"

namespace xqacheck::ptx::testing {

struct Twin {
  std::string name;  // of the files, without .cu
  Module module;
  std::uint32_t grid = 1, block = 32, shared = 0;
  bool producer = false;                                 // runs before; the twin is its programmatic dependent
  std::map<std::uint32_t, std::set<std::string>> marks;  // line of the .cu -> kinds that may be reported there
};

// All of fixtures/ptx/twins, by name. Throws std::runtime_error on a file that breaks the rules of the folder.
std::vector<Twin> read_twins(const std::string& folder);

struct TwinRun {
  std::vector<Finding> findings;
  std::vector<unsigned char> out;  // the output buffer (4096 bytes) and then the scratch
  bool stopped = false;            // by a deadlock or livelock
};
TwinRun run_twin(const Twin& twin, const std::string& kernel, const ScheduleSpec& schedule);

}  // namespace xqacheck::ptx::testing
