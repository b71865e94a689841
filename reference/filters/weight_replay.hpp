// The rounding of the weights P, carried out at several alignments of its grid.
//
// A kernel rounds P = p_scale * exp(score - running maximum), and the running maximum of a tile is not known: it shifts
// the grid of the rounding along the weights. Over many distinct weights the errors average out like independent ones,
// but equal, nearly equal or evenly spaced weights round alike, and then the errors add up. Rounding the actual weights
// at a few shifts shows how large a sum of such errors is, without any assumption about the weights (doc/filters.md
// F3).
#pragma once

#include <cstdint>
#include <vector>

#include "reference/filters/context.hpp"

namespace xqacheck::reference::filters {

// The first replays are scenarios, the ways in which kernels do it: relative to the maximum of the whole row, to each
// tile's own, to the running maximum of tiles in order; and to the running maximum within the sub-sequence of a tile,
// where these are runs of tiles (lengths rounded down or up) or take tiles in turn. Rows share them, so their errors
// may add up over the run. The rest are random shifts, other ones for every row.
inline constexpr int kScenarios = 6, kWithoutSplits = 3;

// Random shifts tried, the same number for all rows of a run: their spread must be known to some 10 % where a row is
// short and a few heavy tokens rule it; long rows average by themselves and would take long.
int shifts_for(std::int64_t tokens);

struct Replay {
  Matrix errors;  // of every weight, in units of the normalised weights: [tokens][kScenarios + shifts]
  Matrix
      variance;  // of that error if it were spread evenly over its cell: spacing^2 / 12 for every rounding; same shape
};

// The visible tokens of a row: their positions and scores, the largest score, the golden LSE.
Replay replay_weights(const Context& context, const std::vector<std::int64_t>& tokens, const Vector& scores,
                      double row_max, double lse, int shifts);

}  // namespace xqacheck::reference::filters
