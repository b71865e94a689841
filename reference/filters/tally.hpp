// Tally: the matched filter of one suspect, summed over elements.
//
// With error e, sensitivity D (what the suspect would add to the output) and weight w = 1 / variance of a correct
// kernel's error: a = sum w e D, n = sum w D^2. Then a / n estimates how much of the suspect is there (1 = all of it),
// a / sqrt(n) says by how many standard deviations, and 2a - n is how much of sum w e^2 goes away when D is taken out
// in full.
#pragma once

#include <cmath>

namespace xqacheck::reference::filters {

// A token that holds all the weight of a row leaves an empty row behind, not 0 / 0.
inline constexpr double kAllTheWeight = 1 - 1e-9;

struct Tally {
  double a = 0, n = 0;

  void add(double weighted_error, double weighted_square) {
    a += weighted_error;
    n += weighted_square;
  }
  Tally& operator+=(const Tally& other) {
    a += other.a;
    n += other.n;
    return *this;
  }
  bool seen() const { return n > 0; }  // false: the suspect changes no element that is judged
  double sigmas() const { return n > 0 ? a / std::sqrt(n) : 0; }
  double amplitude() const { return n > 0 ? a / n : 0; }
  double explained_in_full() const { return 2 * a - n; }
  double explained_fitted() const { return n > 0 ? a * a / n : 0; }
};

}  // namespace xqacheck::reference::filters
