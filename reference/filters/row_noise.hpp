// Noise of one (row, head) of a correct kernel: what its error is made of, and the filter that is best against it.
//
// The error is a sum over tokens of (error of a weight) * v, shared by all channels, plus an error of each channel's
// own (accumulator, partials, output grid). Heavy tokens therefore give errors that look like a change of scale or like
// the token itself: the best filter for a change D is not D / variance but C^-1 D with the covariance C of the row
// (doc/filters.md F2).
#pragma once

#include <Eigen/Cholesky>
#include <cstdint>
#include <vector>

#include "reference/filters/context.hpp"
#include "reference/filters/weight_replay.hpp"

namespace xqacheck::reference::filters {

struct RowNoise {
  std::vector<Eigen::Index> seen;  // tokens of the block that the row attends
  Vector scores;                   // of each
  std::vector<std::int64_t> tile;  // of each
  Vector p;                        // normalised weight of each
  Vector scored;                   // variance of the error of each weight apart from the rounding of P
  Vector variance;                 // with it, averaged over the replays
  Matrix values;                   // V of each, with output scale
  Replay replay;                   // the rounding of P
  Vector grid;                     // variance of the output rounding, at most
  Vector own;         // variance of each channel apart from the weights and the output grid; 0 where nothing is judged
  double factor = 0;  // relative variance of the weights of a tile by the factor that rescales them together
};

// `block` holds all tokens of the sequence, `weights` theirs. An empty `seen` means that the row carries no noise.
RowNoise row_noise(const Context& context, const Group& group, Eigen::Index line, const Block& block,
                   const Weights& weights, int shifts);

// Solves C x = change with the heaviest tokens taken in full and the others as channels' own noise.
class Whitener {
 public:
  Whitener(const RowNoise& noise, const Eigen::RowVectorXd& judged);
  Eigen::RowVectorXd filter(const Eigen::RowVectorXd& change) const;

 private:
  Vector inverse_own_;                 // 1 / variance of a channel, 0 where nothing is judged
  Matrix heavy_;                       // [tokens][channels]: standard deviation of the weight * v
  Eigen::LLT<Eigen::MatrixXd> inner_;  // I + heavy diag(inverse_own) heavy^T
};

}  // namespace xqacheck::reference::filters
