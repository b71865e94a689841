// How the work is split and where intermediate results live. Everything here follows from sizes alone, so that the
// workspace is known before the lengths are.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::kernels::flash32 {

// Tokens between two rescales of the accumulator, and the grain of splits: the tile of the GPU kernels, so that cases
// at tile borders test the same borders here.
inline constexpr std::uint32_t kTileTokens = 64;
// Own plan: one sub-sequence for every 512 tokens of capacity, enough for a case of some pages to exercise the merge.
inline constexpr std::uint32_t kTokensPerSplit = 512;
// More partial results than this only cost memory.
inline constexpr std::uint32_t kMaxSplits = 64;
// Longest head: rows of this length are decoded on the stack.
inline constexpr std::uint32_t kMaxHeadDim = 1024;

inline std::uint64_t tiles(std::uint64_t tokens) {
  return (tokens + kTileTokens - 1) / kTileTokens;
}

// A sub-sequence is a run of whole tiles; splits beyond the tiles of the capacity would have nothing to do.
inline std::uint32_t plan_splits(const xqacheck_problem& p) {
  const std::uint64_t wanted =
      p.forced_splits != 0 ? p.forced_splits : (std::uint64_t{p.max_seq_len} + kTokensPerSplit - 1) / kTokensPerSplit;
  const std::uint64_t useful = std::clamp<std::uint64_t>(tiles(p.max_seq_len), 1, kMaxSplits);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, 1, useful));
}

// Scratch, in floats. Two parts:
//   partials [sequence][kv head][split][row of the group]: m, sum, accumulator[head_dim_v] — read by the merge
//   tile     q [rows of the group][head_dim] and weights [rows of the group][kTileTokens]  — reused by every
//   sub-sequence
// A *row of the group* is a (query row, query head of the KV head) pair, at most max_rows * group of them.
struct ScratchLayout {
  std::uint64_t group_rows, partial_floats, partial_total, query_floats, weight_floats;

  explicit ScratchLayout(const xqacheck_problem& p)
      : group_rows(std::uint64_t{p.max_rows} * (p.q_heads / p.kv_heads)),
        partial_floats(2 + std::uint64_t{p.head_dim_v}),
        partial_total(std::uint64_t{p.requests} * p.beam_width * p.kv_heads * plan_splits(p) * group_rows *
                      partial_floats),
        query_floats(group_rows * p.head_dim),
        weight_floats(group_rows * kTileTokens) {}

  std::uint64_t bytes() const { return (partial_total + query_floats + weight_floats) * sizeof(float); }
  // First float of the partial of row 0 of a sub-sequence; `group` = sequence * kv_heads + kv head.
  std::uint64_t partial(std::uint64_t group, std::uint32_t splits, std::uint32_t split) const {
    return (group * splits + split) * group_rows * partial_floats;
  }
};

// One arrival counter for every (sequence, KV head); unused, and so absent, when nothing is split.
inline std::uint64_t state_bytes(const xqacheck_problem& p) {
  return plan_splits(p) > 1 ? std::uint64_t{p.requests} * p.beam_width * p.kv_heads * sizeof(std::uint32_t) : 0;
}

}  // namespace xqacheck::kernels::flash32
