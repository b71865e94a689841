// Faults planted into MMHA, and what the PTX machine must say about each.
#pragma once

#include <string>
#include <vector>

namespace xqacheck::tests {

enum class Level {
  source,  // of mmha.cu: `find` is a text that stands there once; needs NVRTC
  ptx      // of the prebuilt PTX: `find` is a regular expression, of which occurrence `nth` is replaced
};

struct PlantedFault {
  const char* name;
  Level level;
  std::string find, wrong;
  int nth;                // from 1, 0: all; source: 1
  const char* line;       // the case, of the shape `planted_shape`
  const char* kind;       // of the finding
  const char* buffer;     // allocation that the finding names; "": none
  const char* at;         // text of the source line that the finding names, as accessing or as the other access
  bool producer = false;  // only seen behind a kernel that writes the inputs under programmatic dependent launch
};

std::vector<PlantedFault> planted_faults();

// Legal for the machine and within the bound of golden, but not the declared recipe: `bits` must see them. No finding.
std::vector<PlantedFault> planted_roundings();

// The text with the fault. Throws std::runtime_error when `find` is not there, or (source) not exactly once.
std::string plant(const std::string& text, const PlantedFault& fault);

}  // namespace xqacheck::tests
