// The recordings that tests run over: fixtures/recorded, and the files of XQACHECK_EXTRA_RECORDINGS if it is set.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "emulation/recording/recording.hpp"

namespace xqacheck::tests {

inline std::string source_dir() {
  const char* dir = std::getenv("XQACHECK_SOURCE_DIR");
  return dir != nullptr ? dir : ".";
}

inline std::vector<std::string> fixture_recordings() { return emulation::find_recordings({source_dir() + "/fixtures/recorded"}); }

inline std::vector<std::string> all_recordings() {
  std::vector<std::string> places = {source_dir() + "/fixtures/recorded"};
  if (const char* extra = std::getenv("XQACHECK_EXTRA_RECORDINGS"); extra != nullptr && *extra != '\0') places.push_back(extra);
  return emulation::find_recordings(places);
}

}  // namespace xqacheck::tests
