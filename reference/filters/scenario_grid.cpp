#include "reference/filters/scenario_grid.hpp"

#include <algorithm>
#include <cmath>

#include "reference/filters/output_grid.hpp"

namespace xqacheck::reference::filters {

OutputPath output_path(const Context& c) {
  const std::uint32_t out = c.problem.out.dtype;
  const bool twice = out == XQACHECK_E4M3 && c.model.double_rounded_output;
  const NumberFormat bf16 = format_of(XQACHECK_BF16), fp16 = format_of(XQACHECK_FP16);
  const bool is_bf16 = c.model.partial_unit == std::ldexp(1.0, -bf16.bits);
  const bool is_fp16 = c.model.partial_unit == std::ldexp(1.0, -fp16.bits);
  const bool partials = c.splits != 1 && c.model.partial_roundings > 0 && (is_bf16 || is_fp16);
  return {format_of(out), format_of(twice ? c.problem.q.dtype : out), is_bf16 ? bf16 : fp16, partials};
}

double kept_by_tokens(const Context& c, const Group& g, Eigen::Index line) {
  return -std::expm1(std::min(0.0, c.sinks[g.head(line)] - g.lse[line]));
}

Matrix scenario_grid(const Context& c, const Group& g, Eigen::Index line, const RowNoise& noise, const Vector& before) {
  const OutputPath path = output_path(c);
  const double kept = kept_by_tokens(c, g, line);
  const Matrix errors = noise.replay.errors.leftCols(kScenarios).transpose();  // [kScenarios][tokens]
  const Matrix plain = errors * noise.values;
  const Vector weight = errors.rowwise().sum();
  // What is left to chance: everything but the rounding of P.
  const Eigen::RowVectorXd scored = noise.scored.transpose() * noise.values.cwiseAbs2();
  const std::uint64_t first = g.place[static_cast<std::size_t>(line)] * c.problem.head_dim_v;
  constexpr Eigen::Index kBlock = Eigen::Index{kAlongs} * kScenarios;
  Matrix means = Matrix::Zero(kGridMeans * kBlock, plain.cols());
  const auto put = [&](Along along, Eigen::Index j, Eigen::Index d, double value, double spread) {
    const std::array<double, kGridMeans> mean = grid_means(path, value, spread, kept);
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
