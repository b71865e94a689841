// Signature of an error: a few random projections of the error vector of one sample, divided by its norm. Two kernels that
// round alike on the same inputs have the same signature; kernels with equally large but different errors do not. The scalar
// product of two signatures estimates the cosine between the error vectors (Johnson and Lindenstrauss), so that a file
// need not hold the vectors.
#pragma once

#include <array>
#include <span>

namespace xqacheck::properties::budget {

inline constexpr std::size_t kSignature = 8;
using Signature = std::array<double, kSignature>;

Signature signature_of(std::span<const double> error);

// Cosine over the pairs of samples: 1 for equal errors. Estimated with a standard deviation of about
// (1 - cosine^2) / sqrt(8 samples). 1 where all errors are zero.
double cosine_of(std::span<const Signature> a, std::span<const Signature> b);

}  // namespace xqacheck::properties::budget
