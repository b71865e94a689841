#include "properties/budget/signature.hpp"

#include <cmath>
#include <vector>

#include "properties/budget/signs.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::properties::budget;

namespace {

// Errors of unit variance without libm: sums of twelve uniform numbers.
std::vector<double> errors(std::uint64_t row, std::size_t count) {
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    double sum = -6;
    for (std::uint64_t k = 0; k < 12; ++k)
      sum += static_cast<double>(sign_word(row + 1000, i * 12 + k) >> 11) * 0x1p-53;
    x[i] = sum;
  }
  return x;
}

}  // namespace

TEST_CASE("signatures estimate the cosine between errors") {
  constexpr std::size_t kSamples = 64;
  for (const double share : {0.0, 0.5, 0.9, 1.0}) {
    std::vector<Signature> now, then;
    for (std::uint64_t seed = 0; seed < kSamples; ++seed) {
      const std::vector<double> a = errors(2 * seed, 2048), other = errors(2 * seed + 1, 2048);
      std::vector<double> b(a.size());
      for (std::size_t i = 0; i < a.size(); ++i) b[i] = share * a[i] + std::sqrt(1 - share * share) * other[i];
      now.push_back(signature_of(a)), then.push_back(signature_of(b));
    }
    // Five standard deviations of the estimate.
    CHECK(std::fabs(cosine_of(now, then) - share) <= 5 * (1 - share * share) / std::sqrt(8.0 * kSamples) + 1e-12);
  }
}

TEST_CASE("signatures do not depend on the size of the error") {
  std::vector<double> a = errors(7, 500), b = a;
  for (double& x : b) x *= 1e-6;
  const Signature first = signature_of(a), second = signature_of(b);
  for (std::size_t k = 0; k < kSignature; ++k) CHECK(first[k] == Approx(second[k]).epsilon(1e-9));
  CHECK(cosine_of({}, {}) == 1);
  CHECK(signature_of(std::vector<double>(10, 0.0)) == Signature{});
}
