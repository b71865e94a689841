// Number formats from their definitions: value = sign * significand * 2^exponent, read and written with ldexp and
// integer comparison only. Independent of emulation/arith and of reference/golden.
#pragma once

#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::reference::slow {

// Bytes of one element. Throws std::invalid_argument for XQACHECK_NONE and unknown values.
unsigned element_bytes(std::uint32_t dtype);

// The exact value of a bit pattern (low bits of `bits`). e4m3: no infinities, S.1111.111 is NaN. int8: two's
// complement.
long double value_of_bits(std::uint32_t dtype, std::uint32_t bits);

// Nearest representable value, ties to the even significand. e4m3 and int8 saturate at their largest finite value (448,
// 127 and -128); 16-bit formats overflow to infinity as IEEE does. NaN stays NaN; int8 has none and holds 0 for it.
long double round_to(std::uint32_t dtype, long double value);

}  // namespace xqacheck::reference::slow
