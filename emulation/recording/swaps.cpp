#include "emulation/recording/swaps.hpp"

#include <omp.h>

#include "emulation/recording/replay.hpp"

namespace xqacheck::emulation {

namespace {

constexpr Swap kSwaps[] = {
    {"hint updated for every tile", "hint=every_tile", nullptr},
    {"hint never used", "hint=never", nullptr},
    {"row sum of unrounded P", "row_sum=exact_p", nullptr},
    {"P rescaled in f32, then rounded", "p_rescale=f32", nullptr},
    {"empty rows ignored in skip-all", "skip_all=queries", nullptr},
    {"group tiles added in f32", "tile_add=f32", nullptr},
    {"masked score -1e5 instead of -FLT_MAX", "mask_decode=finite", nullptr},
    {"ex2((s-m)*log2e) instead of the fma form", "exp_form=product", "exp_form=product"},
    {"16-bit matrix unit keeps 24 instead of 25 bits", "half_rule=16/24/23", "half_rule=16/24/23"},
    {"e4m3 wgmma with a full f32 accumulator", nullptr, "e4m3_rule=32/25/23"},
    {"row sum in plain token order", nullptr, "row_sum_decode=tokens row_sum_draft=tokens"},
    {"row sum of rounded x", nullptr, "row_sum=rounded_x"},
    {"rcp.rn instead of rcp.approx in the merge", nullptr, "merge_reciprocal=rounded"},
    {"merge with the global maximum", nullptr, "merge=global_max"},
    {"correctly rounded ex2", "ex2=rounded", "ex2=rounded"},
    {"sinks ignored", "sink=ignored", "sink=ignored"},
    {"window one token too long", "extra_window=1", "extra_window=1"},
    {"low precision, one split (wgmma): rounded once", nullptr, "e4m3_through_half=0"},
    {"q_scale * (kv_scale * 1/sqrt(D))", "scale_order=q_kvroot", "scale_order=q_kvroot"},
    {"rsqrt.approx for 1/sqrt(D)", "root=approx", "root=approx"},
    {"draft mask replaced by causal", "draft_mask=causal", "draft_mask=causal"},
    {"division and output scale applied separately", "output_factor=separate", "output_factor=separate"},
    {"rcp.approx instead of rcp.rn in a split", "split_reciprocal=approx", "split_reciprocal=approx"},
    {"contiguous instead of strided splits", "splits=contiguous", "splits=contiguous"},
    {"no factor 448 on x (1/448 kept)", nullptr, "p_scale=1"},
    {"P scaled by 256 instead of 448", nullptr, "p_scale=256 p_unscale=256"},
    {"group 0's factors used for all groups", "factors=first", nullptr},
    {"e4m3 wgmma in groups of 16 products", nullptr, "e4m3_rule=16/13/13"},
    {"16-bit matrix unit in groups of 8 products", "half_rule=8/25/23", "half_rule=8/25/23"},
    {"mul + add instead of fma in the group exchange", "exchange=mul_add", nullptr},
    {"low precision, several splits (wgmma): rounded twice", nullptr, "merged_e4m3_through_half=1"},
    {"row-sum trees of keys and queries on the M side exchanged", nullptr, "row_sum_decode=quads row_sum_draft=strips"},
    {"sink index by true head in draft cases", "sink=true_head", "sink=true_head"},
    {"draft window taken from the last row for all rows", "draft_window=last_row", "draft_window=last_row"},
};

}  // namespace

std::span<const Swap> swaps() { return kSwaps; }

std::size_t family_index(const Recording& recording) {
  if (recording.recipe->family == Family::hmma) return 0;
  return recording.problem.description.k.dtype == XQACHECK_E4M3 ? 1 : 2;
}

std::vector<SwapResult> try_swaps(const std::vector<Recording>& recordings, int threads) {
  std::vector<SwapResult> results;
  const int workers = threads > 0 ? threads : omp_get_max_threads();
  for (const Swap& swap : swaps()) {
    std::vector<std::uint64_t> differing(recordings.size());
#pragma omp parallel for schedule(dynamic) num_threads(workers)
    for (std::size_t i = 0; i < recordings.size(); ++i) {
      const Recipe& right = *recordings[i].recipe;
      const char* parameters = right.family == Family::hmma ? swap.hmma : swap.gmma;
      if (parameters == nullptr) continue;
      differing[i] = replay_with(with_parameters(right, parameters), recordings[i], 1).differing;
    }
    SwapResult result;
    result.swap = &swap;
    for (std::size_t i = 0; i < recordings.size(); ++i) {
      result.elements += differing[i];
      if (differing[i] > 0) ++result.noticed[family_index(recordings[i])];
    }
    results.push_back(result);
  }
  return results;
}

}  // namespace xqacheck::emulation
