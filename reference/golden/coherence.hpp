// How much of a row's weight sits on equal or nearly equal weights: roundings of equal numbers are equal, so they add
// up instead of averaging out (doc/error-bounds.md, S3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace xqacheck::reference {

class Coherence {
 public:
  Coherence() : cells_(kCells, 0.0) {}

  // Tokens with weight e > 0; `max` is the row's largest score.
  void add(const double* scores, const double* e, std::size_t count, double max) {
    for (std::size_t t = 0; t < count; ++t) {
      if (!(e[t] > 0)) continue;
      const double cell = (max - scores[t]) * kCellsPerNat;
      cells_[cell < kCells - 1 ? static_cast<std::size_t>(cell) : kCells - 1] += e[t];
    }
  }

  void add(const Coherence& o) {
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] += o.cells_[i];
  }

  // Sum over cells of (sum of the weights in the cell)^2: 1 / (number of independent roundings that matter).
  double cells2() const {
    double total = 0;
    for (double sum : cells_) total += sum * sum;
    return total;
  }

 private:
  // Cells of 1/32 octave: a quarter of the widest spacing of e4m3 (1/8 octave). 20 octaves reach below its flush point.
  static constexpr std::size_t kCells = 640;
  static constexpr double kCellsPerNat = 32 * 1.4426950408889634;
  std::vector<double> cells_;
};

// Largest number of equal keys; 0 keys are left out.
std::uint32_t most_copies(const std::vector<std::uint64_t>& keys);

}  // namespace xqacheck::reference
