// Explain: which suspected fault accounts for the error of a wrong output, what remains without it, and where the error
// sits. Slow (it tries other readings of the problem and other pages) and meant for outputs that are known to be wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/filters/context.hpp"
#include "reference/filters/filters.hpp"
#include "reference/filters/screen.hpp"
#include "reference/filters/suspect.hpp"

namespace xqacheck::reference::filters {

struct ExplainOptions {
  std::uint32_t splits = 0;  // sub-sequences that the kernel really used, 0: unknown
  int threads = 0;
};

struct Culprit {
  Suspect suspect;
  double amplitude = 0;
  double sigmas = 0;                 // of its filter; 0 for readings
  double share = 0;                  // of sum w e^2 that goes away with it
  std::vector<std::string> same_as;  // suspects that no output of this problem can tell apart from it
  std::string text() const { return text_of(suspect, amplitude); }
};

struct Explanation {
  std::vector<Culprit> ranked;       // best first; each is judged against the whole error, not what others leave
  std::vector<Culprit> removed;      // what was taken out, one after the other, as long as it explained something
  double noise = 0, noise_left = 0;  // mean of w e^2 before, and after taking `removed` out
  std::uint64_t outside = 0, outside_left = 0;  // elements beyond the worst-case bound and the output grid
  std::uint64_t elements = 0;
  std::vector<std::string> heat;  // text map of the error
};

Explanation explain(const Context& context, const Screen& screen, const FilterReport& report,
                    const xqacheck_numerics* numerics, const ExplainOptions& options = {});

// For a terminal: "softmax scale +1.0 % (31 sigma), explains 99.2 % of the error", what remains, the map.
std::vector<std::string> lines_of(const Explanation& explanation);

}  // namespace xqacheck::reference::filters
