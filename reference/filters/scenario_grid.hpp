// The output rounding when the rounding of P is known.
//
// Under a scenario (reference/filters/weight_replay.hpp) the error of every weight is a known number, and so is the
// value that meets the output grid, up to what else a kernel does. Rows whose weights are nearly equal, of other heads
// and requests too, then round to the output alike, and their errors add up over the run (doc/filters.md F4).
#pragma once

#include "reference/filters/context.hpp"
#include "reference/filters/output_grid.hpp"
#include "reference/filters/row_noise.hpp"

namespace xqacheck::reference::filters {

// The row sum of a kernel adds rounded or unrounded weights: then an error of p moves the output along v - o, or along
// v.
enum Along { kCentred, kPlain, kAlongs };

OutputPath output_path(const Context& context);
// 1 - the weight of the sink of a line.
double kept_by_tokens(const Context& context, const Group& group, Eigen::Index line);

// grid_means of every channel of the line, [kGridMeans * kAlongs * kScenarios][head_dim_v]: row
// (mean * kAlongs + along) * kScenarios + scenario. 0 where nothing is judged. `before[d]`: variance of the rounding to
// OutputPath::before.
Matrix scenario_grid(const Context& context, const Group& group, Eigen::Index line, const RowNoise& noise,
                     const Vector& before);

}  // namespace xqacheck::reference::filters
