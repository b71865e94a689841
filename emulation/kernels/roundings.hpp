// The inexact steps of a kernel, each of which can be made exact (carried out in fp64) by itself or with any others. What
// the result moves by when one step is made exact is that step's share of the error.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace xqacheck::emulation {

enum class Rounding : std::uint8_t {
  q,        // q to e4m3 (QGMMA)
  k,        // quantisation of the K cache: exact only where ExactInputs gives the values before it
  v,        // … of the V cache
  qk,       // accumulation of the first product
  score,    // score scale, its product with the accumulator, and the argument of the exponential
  ex2,      // the exponential unit
  p,        // P to its operand format
  row_sum,  // sum of P within a tile, and over tiles
  rescale,  // factors exp(old - new) and the products with them
  pv,       // accumulation of the second product
  partial,  // 16-bit split partials, and 16-bit tiles of the warp groups
  merge,    // merge of warp groups and of splits
  output,   // normalisation and the output format
  count
};

inline constexpr std::size_t kRoundings = static_cast<std::size_t>(Rounding::count);
inline constexpr std::array<const char*, kRoundings> kRoundingNames = {
    "q", "k", "v", "qk", "score", "ex2", "p", "row_sum", "rescale", "pv", "partial", "merge", "output"};

// Which roundings are carried out; all by default.
class RoundingSet {
 public:
  constexpr RoundingSet() = default;
  static RoundingSet none() { RoundingSet set; set.off_.set(); return set; }
  bool on(Rounding step) const { return !off_[static_cast<std::size_t>(step)]; }
  bool all() const { return off_.none(); }
  RoundingSet without(Rounding step) const { RoundingSet set = *this; set.off_.set(static_cast<std::size_t>(step)); return set; }
  RoundingSet with(Rounding step) const { RoundingSet set = *this; set.off_.reset(static_cast<std::size_t>(step)); return set; }
  bool operator==(const RoundingSet&) const = default;

 private:
  std::bitset<kRoundings> off_;
};

// "qk,ex2" of the roundings that are off; "" if all are on. parse throws RecipeError for an unknown name.
std::string print_exact(const RoundingSet& roundings);
RoundingSet parse_exact(std::string_view names);

}  // namespace xqacheck::emulation
