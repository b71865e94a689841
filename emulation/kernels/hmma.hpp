// The mma.sync decode-attention kernel, phase by phase, for one thread block.
//
// 256 threads: four warps compute scores (gemm 0), each one 64-token tile of a 256-token CTA tile; four warps multiply by V
// (gemm 1) in groups along the tokens: a warp holds 64 channels, so that WPG = DP / 64 warps make a group and NG = 4 / WPG
// groups share the tiles of a CTA tile. Tile w goes to group w mod NG. gemm 1 hands its running maxima back as hints for the
// next CTA tile; that is the only thing that couples the rows of a block (see consume()).
#pragma once

#include <vector>

#include "emulation/kernels/geometry.hpp"
#include "emulation/kernels/partial.hpp"
#include "emulation/kernels/tile.hpp"

namespace xqacheck::emulation {

template <class A>
class HmmaBlock {
 public:
  using Real = typename A::Real;
  using Element = typename A::Element;

  HmmaBlock(const A& arithmetic, const Recipe& recipe, const Call& call, const Block& block);

  // All tiles of one split. The result is what the kernel stores: normalised 16-bit tiles; with `last` (one split) the sink
  // is in and the rows are the finished output before its conversion.
  std::vector<PartialRow<Real>> run(std::uint32_t split, bool last);

  // Output row from the partials of all splits.
  std::vector<Real> merge(const Row& row, const std::vector<PartialRow<Real>>& partials) const;

 private:
  struct Group {
    std::vector<Real> max, sum;  // [rows + 1]: the last one stands for the rows without a query
    std::vector<Real> acc;       // [rows][dim]
  };
  struct Tile {
    std::uint32_t slot = 0, first = 0;   // place w in the CTA tile, first token
    std::vector<Real> max, sum;          // [rows + 1]
    std::vector<Real> scores;            // [rows + 1][kTile]; probabilities later
    std::vector<Element> p;              // [rows][kTile]
  };

  void produce(Tile& tile);
  void consume(Tile& tile);
  void exchange();
  std::vector<PartialRow<Real>> finish(bool last);
  Real add_tile(Rounding step, Real sum, Real tile) const;
  std::uint32_t group_of(std::uint32_t slot) const { return slot % group_count_; }

  const A& a_;
  const Recipe& recipe_;
  const Call& call_;
  const Block& block_;
  std::uint32_t rows_, all_rows_;        // rows with a query; plus one if there are empty ones
  std::uint32_t warps_per_group_, group_count_;
  std::vector<typename A::Queries> queries_;        // by beam
  std::vector<std::vector<Real>> hint_;             // [4][rows + 1]
  std::vector<Group> groups_;
  Row empty_;                                       // what the rows without a query see
  Tile tile_;
  std::uint32_t tiles_done_ = 0;
  std::vector<Element> kv_;
};

}  // namespace xqacheck::emulation
