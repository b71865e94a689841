// The run line: a case line plus ` @ ` and how the case was run. The repro string:
//
//   xqa/1 heads=16/2 len=513 kv=e4m3 seed=7 @ kernel=hmma prop=guard device=cuda plan=4 place=end tool=1.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reference/case.hpp"
#include "reference/case_error.hpp"

namespace xqacheck::reference {

// Where buffers lie relative to unmapped memory.
enum class Placement : std::uint8_t { plain, end, begin };
// What memory holds that must not matter: the workspace and the output before the run.
enum class Fill : std::uint8_t { zero, nan, huge, random };
// What surrounds the launch on its stream: inputs copied before (plain), written by the kernel just before (producer),
// that one under programmatic dependent launch (pdl), captured in a graph and replayed, or another kernel busy beside
// it (load).
enum class LaunchStyle : std::uint8_t { plain, producer, pdl_producer, graph, load };
enum class Device : std::uint8_t { host, cuda, ptx };  // ptx: device kernels on the CPU, from their PTX

struct RunLine {
  Case subject;
  std::string kernel;    // name of a built-in kernel, or a path to a plug-in, `./mine.so` or `./mine.so:name`
  std::string property;  // "golden", "bits", "guard" …; "" where only a run is meant
  Device device = Device::host;
  std::uint32_t device_index = 0;  // `device=cuda:1`
  std::string plan;                // "": the kernel's own; decimal digits: forced split count; else a plan by name
  std::uint32_t sm_count = 0;      // `sms=`: multiprocessors that the plan counts on; 0: those of the device
  Placement place = Placement::plain;
  Fill scratch = Fill::nan, output = Fill::nan;  // `fill=nan` or `fill=nan/zero`
  std::uint64_t fill_seed = 0;
  std::uint32_t runs = 1;  // launches on one prepared instance; the last one counts
  LaunchStyle launch = LaunchStyle::plain;
  bool pdl = false;  // programmatic dependent launch
  std::string tool;  // version of the tool that wrote the line

  bool operator==(const RunLine&) const = default;
  std::uint32_t forced_splits() const;  // the number in `plan`, else 0
};

// Reads a run line; a plain case line is one with every run key at its default. Throws CaseError.
RunLine parse_run_line(std::string_view line);

// Canonical text; ends without " @" where every run key holds its default. parse_run_line(print_run_line(r)) == r.
std::string print_run_line(const RunLine& run);

// Throws CaseError naming the first field that no line can express or that is out of range.
void validate(const RunLine& run);

}  // namespace xqacheck::reference
