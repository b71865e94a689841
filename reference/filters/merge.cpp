#include "reference/filters/merge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace xqacheck::reference::filters {
namespace {

constexpr std::int64_t kTile = 64;  // tokens of a tile in the public kernels

std::size_t part_of(std::int64_t tile, std::int64_t tiles, std::uint32_t splits, Split split) {
  const std::int64_t each = (tiles + splits - 1) / splits;
  return static_cast<std::size_t>(split == Split::contiguous ? tile / each : tile % splits);
}

}  // namespace

std::vector<double> merged_unscaled(const Context& c, std::uint32_t splits, Split split) {
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  std::vector<double> out = c.golden.out;
  for (std::size_t task = 0; task < c.tasks(); ++task) {
    const Group g = make_group(c, task);
    const std::int64_t tiles = (g.sequence->length + kTile - 1) / kTile;
    std::vector<Matrix> sums(splits, Matrix::Zero(g.lines(), g.o.cols()));  // sum of p v of a part
    Matrix weight = Matrix::Zero(g.lines(), splits), largest = Matrix::Constant(g.lines(), splits, kNothing);
    for (std::int64_t tile = g.sequence->first_seen / kTile; tile < tiles; ++tile) {
      const std::int64_t first = tile * kTile;
      const Block block = read_block(c, g, first, std::min(kTile, g.sequence->length - first));
      Weights w = weigh(c, g, block);
      const std::size_t part = part_of(tile, tiles, splits, split);
      for (Eigen::Index l = 0; l < g.lines(); ++l) {
        for (Eigen::Index t = 0; t < block.count(); ++t) {
          if (!c.sight.sees(*g.sequence, g.draft(l), first + t)) w.p(l, t) = 0;
          if (w.p(l, t) > 0) largest(l, part) = std::max(largest(l, part), w.scores(l, t));
        }
      }
      sums[part].noalias() += w.p * block.values;
      weight.col(static_cast<Eigen::Index>(part)) += w.p.rowwise().sum();
    }
    for (Eigen::Index l = 0; l < g.lines(); ++l) {
      const double top = largest.row(l).maxCoeff();
      if (!std::isfinite(g.lse[l]) || top == kNothing) continue;
      Eigen::RowVectorXd numerator = Eigen::RowVectorXd::Zero(g.o.cols());
      double denominator = std::exp(c.sinks[g.head(l)] - g.lse[l]);
      for (std::uint32_t part = 0; part < splits; ++part) {
        if (largest(l, part) == kNothing) continue;
        const double inflated =
            std::exp(std::min(top - largest(l, part), 600.0));  // what the missing factor would undo
        numerator += inflated * sums[part].row(l);
        denominator += inflated * weight(l, part);
      }
      const std::uint64_t at = g.place[static_cast<std::size_t>(l)] * c.problem.head_dim_v;
      for (Eigen::Index d = 0; d < g.o.cols(); ++d)
        out[at + static_cast<std::uint64_t>(d)] = numerator[d] / denominator;
    }
  }
  return out;
}

}  // namespace xqacheck::reference::filters
