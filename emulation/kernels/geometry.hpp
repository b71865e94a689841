// Geometry: which rows a thread block holds, what each may see, which tiles a split takes, and how much scratch that needs.
#pragma once

#include <cstdint>
#include <vector>

#include "emulation/kernels/call.hpp"
#include "emulation/kernels/recipe.hpp"

namespace xqacheck::emulation {

inline constexpr std::uint32_t kTile = 64;           // tokens of one softmax tile, in both families
inline constexpr std::uint32_t kNoSink = ~0u;

// One query row of a thread block.
struct Row {
  std::uint32_t q_row = 0;        // row of q and out
  std::uint32_t q_head = 0;
  std::uint32_t beam = 0;
  std::uint32_t draft = 0;        // draft token within the request
  std::uint32_t sink_head = kNoSink;  // head whose sink the row gets
  // Tokens [begin, dense_end) are visible; draft token j = token - dense_end by `mask`; nothing from seq_len on.
  std::uint32_t begin = 0;
  std::uint32_t dense_end = 0;
};

// A thread block, without its split: rows of one request and KV head.
struct Block {
  std::uint32_t request = 0, kv_head = 0, index = 0;  // index: along the drafts of the request
  std::uint32_t seq_len = 0;
  std::uint32_t context = 0;      // tokens before the drafts; seq_len for decode
  bool keys_on_m = true;          // gmma: which operand of the first product lies on the M side
  bool causal = false;            // drafts see each other causally, whatever the mask tensor holds
  std::vector<Row> rows;
  bool has_empty_rows = false;    // the M tile has rows without a query (hmma)
  std::uint32_t first_tile = 0, end_tile = 0;  // tiles in use, in units of recipe.cta_tile
  std::uint32_t splits = 1;       // sub-sequences that really run
  std::uint32_t slot = 0;         // number of the block: its semaphore, and its place in scratch
};

// Visibility of a token to a row of the block.
bool visible(const Call& call, const Block& block, const Row& row, std::uint32_t token);

// Sub-sequences of a launch, from capacity and multiprocessors; forced_splits wins. The request-dependent count of the wgmma
// kernel is Block::splits.
std::uint32_t split_plan(const Recipe& recipe, const xqacheck_problem& problem);

// Thread blocks of one KV head along the drafts of a request: the same for every request, by the longest draft.
std::uint32_t draft_blocks(const Recipe& recipe, const Call& call);
std::uint32_t block_rows(const Recipe& recipe, const Call& call);  // rows of an M tile that can hold queries
bool keys_on_m(const Recipe& recipe, const Call& call);

std::vector<Block> make_blocks(const Recipe& recipe, const Call& call);

// Tiles of split j, in units of recipe.cta_tile, ascending.
std::vector<std::uint32_t> split_tiles(const Recipe& recipe, const Block& block, std::uint32_t split);

// Scratch of a launch: row maxima and sums, then 16-bit output tiles. Offsets in bytes.
struct ScratchLayout {
  std::uint64_t bytes = 0;         // 0 where one split runs
  std::uint64_t tiles = 0;         // offset of the first tile
  std::uint64_t tile_bytes = 0;    // one split of one block
  std::uint32_t rows = 0;          // rows of a tile
  std::uint32_t stats_rows = 0;    // row maxima (and sums) of one split of one block, padded
  std::uint32_t row_elements = 0;  // elements of a row of a tile
  bool interleaved = false;        // (maximum, sum) pairs; else all maxima, then all sums
  std::uint32_t splits = 1, blocks = 0;

  std::uint64_t max_at(std::uint32_t block, std::uint32_t split, std::uint32_t row) const;
  std::uint64_t sum_at(std::uint32_t block, std::uint32_t split, std::uint32_t row) const;
  std::uint64_t tile_at(std::uint32_t block, std::uint32_t split, std::uint32_t row) const;
};
ScratchLayout scratch_layout(const Recipe& recipe, const xqacheck_problem& problem);

}  // namespace xqacheck::emulation
