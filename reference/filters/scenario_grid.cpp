#include "reference/filters/scenario_grid.hpp"

#include <cmath>

#include "reference/filters/output_grid.hpp"

namespace xqacheck::reference::filters {

NumberFormat format_before(const Context& c) {
  const bool twice = c.problem.out.dtype == XQACHECK_E4M3 && c.model.double_rounded_output;
  return format_of(twice ? c.problem.q.dtype : c.problem.out.dtype);
}

Matrix scenario_grid(const Context& c, const Group& g, Eigen::Index line, const RowNoise& noise, const Vector& before) {
  const NumberFormat format = format_of(c.problem.out.dtype), first_format = format_before(c);
  const Matrix errors = noise.replay.errors.leftCols(kScenarios).transpose();  // [kScenarios][tokens]
  const Matrix plain = errors * noise.values;
  const Vector weight = errors.rowwise().sum();
  // What is left to chance: everything but the rounding of P.
  const Eigen::RowVectorXd scored = noise.scored.transpose() * noise.values.cwiseAbs2();
  const std::uint64_t first = g.place[static_cast<std::size_t>(line)] * c.problem.head_dim_v;
  constexpr Eigen::Index kBlock = Eigen::Index{kAlongs} * kScenarios;
  Matrix means = Matrix::Zero(kGridMeans * kBlock, plain.cols());
  const auto put = [&](Along along, Eigen::Index j, Eigen::Index d, double value, double spread) {
    const std::array<double, kGridMeans> mean = grid_means(format, first_format, value, spread);
    for (Eigen::Index m = 0; m < kGridMeans; ++m)
      means(m * kBlock + along * Eigen::Index{kScenarios} + j, d) = mean[static_cast<std::size_t>(m)];
  };
  // Without sub-sequences the last three scenarios are the running maximum.
  const Eigen::Index scenarios = c.splits > 1 ? kScenarios : kWithoutSplits;
  for (Eigen::Index d = 0; d < plain.cols(); ++d) {
    const std::uint64_t i = first + static_cast<std::uint64_t>(d);
    if (c.evidence.weight[i] == 0) continue;
    const double value = c.golden.out[i], bias = c.golden.bias[i] - c.golden.coherent[i];
    const double spread = std::sqrt(noise.own[d] + scored[d] + before[d] + bias * bias);
    for (Eigen::Index j = 0; j < scenarios; ++j) {
      if (c.model.sum_of_unrounded) put(kPlain, j, d, value + plain(j, d), spread);
      put(kCentred, j, d, value + plain(j, d) - weight[j] * value, spread);
    }
  }
  for (Eigen::Index block = 0; block < kGridMeans * kAlongs; ++block) {
    for (Eigen::Index j = scenarios; j < kScenarios; ++j)
      means.row(block * kScenarios + j) = means.row(block * kScenarios + kWithoutSplits - 1);
  }
  return means;
}

}  // namespace xqacheck::reference::filters
