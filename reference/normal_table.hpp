// Standard normal numbers from 16 random bits: quantile number r of 65536 equally likely ones, at (r + 1/2) / 65536.
// Largest size 4.325, variance 1 - 2.0e-5, kurtosis 2.9992. One table look-up a number, without libm.
#pragma once

#include <cstdint>

namespace xqacheck::reference {

// 65536 floats, made at first use; symmetric: table[r] == -table[65535 - r].
const float* normal_table();

// Inverse of the standard normal distribution function, 0 < p < 1, relative error about 1e-15.
double normal_quantile(double p);

}  // namespace xqacheck::reference
