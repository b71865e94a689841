// Order statistics of repeated measurements: medians and quartiles, since times have a long tail to one side only.
#pragma once

#include <cstddef>
#include <vector>

namespace xqacheck::properties::perf {

struct Quartiles {
  double least = 0, first = 0, median = 0, third = 0, most = 0;
  std::size_t count = 0;
};

// Linear interpolation between order statistics (the method of R's type 7 and of numpy). All zero for no samples.
Quartiles quartiles_of(std::vector<double> samples);

// True where the boxes of two measurements overlap: then a difference of their medians says nothing.
bool boxes_overlap(const Quartiles& a, const Quartiles& b);

}  // namespace xqacheck::properties::perf
