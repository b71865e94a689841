// What `xqacheck perf` tells: a table for people and one JSON document (doc/perf.md).
#pragma once

#include <string>
#include <vector>

#include "properties/perf/measure.hpp"

namespace xqacheck::properties::perf {

struct PerfReport {
  std::vector<std::string> command;
  std::string device;   // as reports name it
  std::string toolkit;  // run-time compiler, or ""
  std::string host, started;
  std::vector<std::string> sources;  // of the kernels: "built-in" or the path of a plug-in
  MeasureOptions options;
  CopySpeed copy;
  std::vector<CaseTiming> cases;
};

std::string table_of(const PerfReport& report);
std::string json_of(const PerfReport& report);

// Bytes per second of one timing, by its median; 0 where it was not timed.
double achieved(const CaseTiming& timing, const Timing& kernel);

}  // namespace xqacheck::properties::perf
