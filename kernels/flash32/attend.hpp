// One sub-sequence of one (sequence, KV head): the flash-decoding inner loop.
#pragma once

#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"
#include "kernels/flash32/geometry.hpp"

namespace xqacheck::kernels::flash32 {

// View of the partial result of one row in scratch. Weights are relative to exp(m); the accumulator [head_dim_v] is not
// normalised and has no v scale yet.
class Partial {
 public:
  explicit Partial(float* floats) : floats_(floats) {}
  float& m() const { return floats_[0]; }    // largest score; -inf if no token is visible or every score is -inf
  float& sum() const { return floats_[1]; }  // sum of the weights
  float* accumulator() const { return floats_ + 2; }

 private:
  float* floats_;
};

// exp(value - m), where m = -inf (nothing seen yet) gives 0 for value = -inf instead of exp(-inf + inf) = NaN.
float weight(float value, float m);

struct Tile {
  float* query;    // [group rows][head_dim], decoded
  float* weights;  // [group rows][kTileTokens]
};

// Attends tokens [begin, end) and leaves one partial a row in `partials` (row r at r * partial_floats).
void attend(const xqacheck_problem& p, const Sequence& s, std::uint32_t kv_head, std::int64_t begin, std::int64_t end,
            const Tile& tile, float* partials, std::uint64_t partial_floats);

}  // namespace xqacheck::kernels::flash32
