// How much of a row's weight sits on equal or nearly equal weights: roundings of equal numbers are equal, so they add
// up instead of averaging out (doc/error-bounds.md, S3).
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace xqacheck::reference {

class Coherence {
 public:
  // `exact`: also looks for equal scores, bit for bit.
  explicit Coherence(bool exact) : cells_(kCells, 0.0), buckets_(exact ? kBuckets : 0, 0.0) {}

  // `below` = score - row maximum of the tokens with weight e > 0.
  void add(const double* scores, const double* e, std::size_t count, double max) {
    for (std::size_t t = 0; t < count; ++t) {
      if (!(e[t] > 0)) continue;
      const double cell = (max - scores[t]) * kCellsPerNat;
      cells_[cell < kCells - 1 ? static_cast<std::size_t>(cell) : kCells - 1] += e[t];
      if (!buckets_.empty()) {
        // Multiplicative hash: the top bits of the product with an odd constant (2^64 / golden ratio).
        const std::uint64_t hash = std::bit_cast<std::uint64_t>(scores[t]) * 0x9e3779b97f4a7c15u;
        buckets_[hash >> (64 - kBucketBits)] += e[t];
      }
    }
  }

  void add(const Coherence& o) {
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] += o.cells_[i];
    for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += o.buckets_[i];
  }

  // Sum over cells of (sum of the weights in the cell)^2: 1 / (number of independent roundings that matter).
  double cells2() const { return squares(cells_); }
  // Whether a good part of the weight has equal scores. `e`, `e2`: sums of the weights and of their squares.
  bool has_ties(double e, double e2) const {
    // Without ties the expectation is e2 plus what the hash throws together by chance; three times that is not chance.
    return !buckets_.empty() && squares(buckets_) > 3 * (e2 + e * e / kBuckets);
  }

 private:
  static double squares(const std::vector<double>& sums) {
    double total = 0;
    for (double s : sums) total += s * s;
    return total;
  }
  // Cells of 1/32 octave: a quarter of the widest spacing of e4m3 (1/8 octave). 20 octaves reach below its flush point.
  static constexpr std::size_t kCells = 640;
  static constexpr double kCellsPerNat = 32 * 1.4426950408889634;
  static constexpr int kBucketBits = 10;
  static constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;
  std::vector<double> cells_, buckets_;
};

}  // namespace xqacheck::reference
