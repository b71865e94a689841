// Times kernels on one case, side by side, with device events.
//
// Every launch works on the next of several copies of the problem, so that K and V come from memory and not from the
// level 2 cache. A sample is a run of launches between two events, divided by their number; kernels take turns sample
// by sample, so that a change of the clock meets all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/launch/seam.hpp"
#include "properties/perf/statistics.hpp"
#include "properties/perf/traffic.hpp"
#include "reference/problem.hpp"

namespace xqacheck::properties::perf {

struct MeasureOptions {
  std::uint32_t samples = 31;            // odd: the median is one of them
  std::uint32_t launches = 20;           // least launches of a sample: event resolution (0.5 us) divided by it
  double warm_up_milliseconds = 50;      // clocks rise within some ten milliseconds
  std::uint64_t rotation_bytes = 0;      // of all copies of the problem; 0: four times the level 2 cache
  std::uint32_t most_copies = 256;       // small problems would need thousands: then the report says so
  bool in_graph = true;                  // a sample is the replay of a graph: no launch cost of the host in it
  std::uint32_t forced_splits = 0;       // 0: the kernel's own plan
};

struct Copies {
  std::uint32_t count = 0;
  std::uint64_t bytes = 0;  // of all of them
  bool beyond_cache = false;
};

// How many copies of a problem of `bytes` bytes are rotated through on a device.
Copies plan_copies(std::uint64_t bytes, const kernels::launch::DeviceInfo& device, const MeasureOptions& options);

struct Timing {
  std::string kernel, version;
  std::string refused;     // why the kernel does not take the case; "" where it was timed
  std::uint32_t splits = 0;
  std::string compiled;    // keys of the machine code compiled at run time
  std::uint32_t launches = 0;  // of one sample
  Quartiles microseconds;  // of one launch
};

struct CaseTiming {
  std::string case_line;
  Traffic traffic;
  Copies copies;
  std::vector<Timing> kernels;  // in the order given
};

// Kernels on device memory, as loaded into this process. Throws DeviceError for what the device reports, and
// std::runtime_error naming kernel and step where a kernel reports an error.
CaseTiming measure(kernels::launch::Device& device, const reference::Problem& problem,
                   const std::vector<const xqacheck_kernel*>& kernels, const MeasureOptions& options);

struct CopySpeed {
  std::uint64_t bytes = 0;  // copied; read and written
  Quartiles microseconds;
  double bytes_per_second() const;  // read and written bytes by the median time
};

// A copy within the device, larger than its cache: the yardstick of the same run.
CopySpeed measure_copy(kernels::launch::Device& device, const MeasureOptions& options);

}  // namespace xqacheck::properties::perf
