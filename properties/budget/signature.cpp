#include "properties/budget/signature.hpp"

#include <cmath>

#include "properties/budget/signs.hpp"

namespace xqacheck::properties::budget {
namespace {

constexpr std::uint64_t kSignRow = 1u << 20;  // away from the rows of draft_proxy.cpp

}  // namespace

Signature signature_of(std::span<const double> error) {
  Signature sums{};
  double square = 0;
  // One word of signs serves eight elements: eight signs each.
  for (std::size_t i = 0; i < error.size(); ++i) {
    const std::uint64_t word = sign_word(kSignRow, i / 8) >> (i % 8 * 8);
    for (std::size_t k = 0; k < kSignature; ++k) sums[k] += (word >> k & 1) != 0 ? -error[i] : error[i];
    square += error[i] * error[i];
  }
  if (square > 0)
    for (double& sum : sums) sum /= std::sqrt(square);
  return sums;
}

double cosine_of(std::span<const Signature> a, std::span<const Signature> b) {
  double product = 0, left = 0, right = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    for (std::size_t k = 0; k < kSignature; ++k) {
      product += a[i][k] * b[i][k], left += a[i][k] * a[i][k], right += b[i][k] * b[i][k];
    }
  }
  if (left == 0 && right == 0) return 1;
  return left == 0 || right == 0 ? 0 : product / std::sqrt(left * right);
}

}  // namespace xqacheck::properties::budget
