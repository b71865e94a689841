// The rounding of the weights P, carried out at several alignments of its grid.
//
// A kernel rounds P = p_scale * exp(score - running maximum), and the running maximum of a tile is not known: it shifts
// the grid of the rounding along the weights. Over many distinct weights the errors average out like independent ones,
// but equal, nearly equal or evenly spaced weights round alike, and then the errors add up. Rounding the actual weights
// at a few shifts shows how large a sum of such errors is, without any assumption about the weights (doc/filters.md
// F3).
#pragma once

#include <cstdint>

#include "reference/filters/context.hpp"

namespace xqacheck::reference::filters {

// Shifts tried, the same number for all rows of a run: their spread must be known to some 10 % where a row is short and
// a few heavy tokens rule it; long rows average by themselves and would take long.
int replays_for(std::int64_t tokens);

struct Replay {
  Matrix errors;    // error of every weight at every replay, in units of the normalised weights: [tokens][replays]
  Matrix variance;  // of that error if it were spread evenly over its cell: spacing^2 / 12 for every rounding
};

// `scores`: of the visible tokens of the whole row; `row_max` their largest; `lse`: the golden one.
Replay replay_weights(const Context& context, const Vector& scores, double row_max, double lse, int replays);

}  // namespace xqacheck::reference::filters
