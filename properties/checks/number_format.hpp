// How coarse the float formats of the kernel interface are: what properties need to allow for a rounding.
#pragma once

#include <cstdint>

namespace xqacheck::properties {

struct NumberFormat {
  int bits;          // of the significand, the hidden one included
  int min_exponent;  // of the smallest normal number
  double largest;    // finite
};
NumberFormat number_format(std::uint32_t xqacheck_dtype_value);  // fp32 for anything that is no 16- or 8-bit float

double half_unit(const NumberFormat& format);      // rounding x moves it by at most this times |x| …
double half_smallest(const NumberFormat& format);  // … or by this, whichever is more

}  // namespace xqacheck::properties
