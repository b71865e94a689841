// What rounding to the output format does to a value that is known up to some spread.
//
// Where the spread is far below the distance of two outputs the rounding error is no noise but a known number, and
// values that sit alike in their cells have it alike: a kernel that writes 0.999 v as v looks as if it ignored its
// sink. Where the spread is wider than a cell the error is uniform and its mean 0. This is the exact mean and variance
// in between (doc/filters.md F4).
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "reference/golden/element.hpp"

namespace xqacheck::reference::filters {

struct GridError {
  double mean = 0, variance = 0;  // of round(x) - x0 for x normal around x0; the variance without that of x itself
};
GridError grid_error(const NumberFormat& format, double value, double spread);

// The roundings on the way to the output, the last ones first.
struct OutputPath {
  NumberFormat format;   // of the output
  NumberFormat before;   // that it may be rounded to first; else the same
  NumberFormat partial;  // of the partial results of sub-sequences
  bool partials;         // there may be such
};

// Mean rounding error for a kernel that is as inexact as it may be; for an exact one; for an exact one that rounds to
// `before` first; and for one whose tokens all lie in one of several sub-sequences: it rounds their result to
// `partial`, multiplies it by `kept`, 1 - the weight of the sink, and rounds that. A small sink may then change
// nothing. The spread is an upper estimate, and values that lie alike in their cells tell the cases apart; between them
// they move from one to the other.
inline constexpr int kGridMeans = 4;
std::array<double, kGridMeans> grid_means(const OutputPath& path, double value, double spread, double kept);

// Equal for values whose rounding is one and the same: same place in the cell to 2^-20, in whatever binade and of
// either sign.
std::int64_t rounding_key(const NumberFormat& format, double value);

// Sum over keys of (sum of the values of the key)^2.
double squared_sums(std::vector<std::pair<std::int64_t, double>> values);

}  // namespace xqacheck::reference::filters
