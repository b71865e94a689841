// The wgmma decode-attention kernel, phase by phase, for one thread block: QGMMA where the cache is e4m3 (both products in
// e4m3), HGMMA where it has the type of q.
//
// 384 threads: one warp group computes scores of 64-token tiles (gemm 0), one multiplies by V (gemm 1), one loads. In decode
// the keys are the M side of the first product and a softmax row is a column of the accumulator; in drafts the queries are
// the M side. Rows never touch each other.
#pragma once

#include <vector>

#include "emulation/kernels/geometry.hpp"
#include "emulation/kernels/partial.hpp"
#include "emulation/kernels/tile.hpp"

namespace xqacheck::emulation {

template <class A>
class GmmaBlock {
 public:
  using Real = typename A::Real;
  using Element = typename A::Element;

  GmmaBlock(const A& arithmetic, const Recipe& recipe, const Call& call, const Block& block);

  // All tiles of one split: what the kernel stores in scratch, or with `last` (one split) the output before its conversion.
  std::vector<PartialRow<Real>> run(std::uint32_t split, bool last);

  // Output row, before its conversion, from the partials of all splits.
  std::vector<Real> merge(const Row& row, const std::vector<PartialRow<Real>>& partials) const;

 private:
  void produce(std::uint32_t first);
  void consume(std::uint32_t first);
  std::vector<PartialRow<Real>> finish(bool last) const;
  std::uint32_t sum_parts(std::uint32_t row, Real* parts) const;
  Real weigh(const PartialRow<Real>& partial, Real factor, std::vector<Real>& acc, Real total) const;

  const A& a_;
  const Recipe& recipe_;
  const Call& call_;
  const Block& block_;
  std::uint32_t rows_;
  RowSumOrder row_sum_order_;
  typename A::Queries queries_;
  // State of the block: running maxima and sums, accumulator [rows][dim].
  std::vector<Real> max_, sum_, acc_;
  // The current tile: maxima before it, scores and then probabilities [rows][kTile], P operands.
  std::vector<Real> old_max_, scores_;
  std::vector<Element> x_, kv_;
};

}  // namespace xqacheck::emulation
