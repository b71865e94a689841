#include "reference/filters/scenario_grid.hpp"

#include <cmath>

#include "reference/filters/output_grid.hpp"

namespace xqacheck::reference::filters {

Matrix scenario_grid(const Context& c, const Group& g, Eigen::Index line, const RowNoise& noise, const Vector& before) {
  const NumberFormat format = format_of(c.problem.out.dtype);
  const Matrix errors = noise.replay.errors.leftCols(kScenarios).transpose();  // [kScenarios][tokens]
  const Matrix plain = errors * noise.values;
  const Vector weight = errors.rowwise().sum();
  // What is left to chance: everything but the rounding of P.
  const Eigen::RowVectorXd scored = noise.scored.transpose() * noise.values.cwiseAbs2();
  const std::uint64_t first = g.place[static_cast<std::size_t>(line)] * c.problem.head_dim_v;
  Matrix means = Matrix::Zero(Eigen::Index{kAlongs} * kScenarios, plain.cols());
  // Without sub-sequences the last three scenarios are the running maximum.
  const Eigen::Index scenarios = c.splits > 1 ? kScenarios : kWithoutSplits;
  for (Eigen::Index d = 0; d < plain.cols(); ++d) {
    const std::uint64_t i = first + static_cast<std::uint64_t>(d);
    if (c.evidence.weight[i] == 0) continue;
    const double value = c.golden.out[i], bias = c.golden.bias[i] - c.golden.coherent[i];
    const double spread = std::sqrt(noise.own[d] + scored[d] + before[d] + bias * bias);
    for (Eigen::Index j = 0; j < scenarios; ++j) {
      if (c.model.sum_of_unrounded)
        means(kPlain * kScenarios + j, d) = grid_error(format, value + plain(j, d), spread).mean;
      means(kCentred * kScenarios + j, d) = grid_error(format, value + plain(j, d) - weight[j] * value, spread).mean;
    }
  }
  for (const Along along : {kCentred, kPlain}) {
    for (Eigen::Index j = scenarios; j < kScenarios; ++j)
      means.row(along * Eigen::Index{kScenarios} + j) =
          means.row(along * Eigen::Index{kScenarios} + kWithoutSplits - 1);
  }
  return means;
}

}  // namespace xqacheck::reference::filters
