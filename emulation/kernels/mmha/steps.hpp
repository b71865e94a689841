// The phases of one block of the kernel, in its order: score a tile, consume it, merge sub-sequences, finish the row.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "emulation/kernels/mmha/row.hpp"

namespace xqacheck::emulation::mmha {

inline constexpr int kTile = 128;  // tokens of a tile = threads of a block
inline constexpr int kWarps = kTile / 32;

// Running softmax of one row over one sub-sequence.
struct Running {
  float maximum = -std::numeric_limits<float>::infinity(), sum = 0;
  std::vector<float> output;  // [head_dim_v], not normalised
};

// What a block keeps for the whole row: shapes, decoded query, score scale.
struct Block {
  const xqacheck_problem& p;
  Row row;
  std::uint32_t row_number = 0, head = 0, kv_head = 0;
  float scale = 1;           // q_scale * k_scale * 1/sqrt(head_dim), two roundings
  std::vector<float> query;  // [head_dim]

  Block(const xqacheck_problem& problem, std::uint32_t row_of_q, std::uint32_t q_head);
};

struct Tile {
  float score[kTile];           // -inf where not visible
  std::int64_t v_index[kTile];  // -1 where not visible
};

void score_tile(const Block& block, std::int64_t first_token, Tile& tile);
void consume_tile(const Block& block, const Tile& tile, Running& running);
Running run_sub_sequence(const Block& block, std::uint32_t split, std::uint32_t splits);
Running merge(const Block& block, const std::vector<Running>& partials);
void finish(const Block& block, Running running);

// Decodes `count` elements of a tensor from `index` on to fp32 (exact).
void decode(const xqacheck_tensor& tensor, std::int64_t index, std::uint32_t count, float* out);

}  // namespace xqacheck::emulation::mmha
