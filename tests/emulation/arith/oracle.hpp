// Rounding to nearest even from its definition, with exact integers and nothing from the library but the field widths:
// of two neighbouring numbers take the nearer one, of two equally near ones the one with the even pattern.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulation/arith/format.hpp"

namespace xqacheck::arith {

// m * 2^e, m < 2^62
struct Dyadic {
  uint64_t m;
  int e;
};

// -1, 0, 1 as a < b, a == b, a > b
int compare(const Dyadic& a, const Dyadic& b);

// |x| of a finite f32 pattern.
Dyadic magnitude_of_f32(uint32_t bits);

class NearestOracle {
 public:
  explicit NearestOracle(const FloatFormat& format);

  // The magnitude pattern nearest to x; `overflow_pattern()` from the last midpoint up.
  uint32_t nearest(const Dyadic& x) const;
  // The same, given the answer `from` for some value that is not larger: walks up from there.
  uint32_t nearest_from(uint32_t from, const Dyadic& x) const;
  // One past the largest finite pattern: infinity, or for e4m3 what saturation turns into 448.
  uint32_t overflow_pattern() const { return static_cast<uint32_t>(midpoints_.size()); }

 private:
  bool rounds_above(uint32_t pattern, const Dyadic& x) const;
  std::vector<Dyadic> midpoints_;  // between patterns i and i + 1
};

}  // namespace xqacheck::arith
