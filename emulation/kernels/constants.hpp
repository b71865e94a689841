// Constants that the kernels share, with their exact bit patterns.
#pragma once

#include <limits>

namespace xqacheck::emulation {

inline constexpr float kLog2E = 0x1.715476p+0f;        // 0x3fb8aa3b: log2(e) as the kernels hold it
inline constexpr float kSafeRowMax = -1e5f;            // start of every running maximum, and the finite masking constant
inline constexpr float kLowest = -std::numeric_limits<float>::max();
inline constexpr float kE4m3Max = 448.0f;              // largest e4m3 number: the wgmma kernels scale P up to it

}  // namespace xqacheck::emulation
