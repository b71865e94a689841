// Split plans, tiles, sinks and scratch sizes against figures measured on the public kernels (xqa launchers on an H200).
#include "emulation/kernels/geometry.hpp"

#include "tests/catch.hpp"

using namespace xqacheck::emulation;

namespace {

// A decode problem without data: what the plan looks at.
xqacheck_problem shape(std::uint32_t requests, std::uint32_t kv_heads, std::uint32_t max_seq_len, std::uint32_t sm_count) {
  xqacheck_problem p{};
  p.requests = requests, p.kv_heads = kv_heads, p.q_heads = 8 * kv_heads, p.beam_width = 1, p.max_rows = 1;
  p.head_dim = p.head_dim_v = 128, p.max_seq_len = max_seq_len, p.sm_count = sm_count;
  p.q.dtype = p.k.dtype = p.out.dtype = XQACHECK_BF16;
  return p;
}

}  // namespace

TEST_CASE("split plans of the public launchers", "[geometry]") {
  // 132 multiprocessors; counts printed by the launchers.
  CHECK(split_plan(hmma_recipe(), shape(1, 1, 8192, 132)) == 32);
  CHECK(split_plan(hmma_recipe(), shape(8, 1, 8192, 132)) == 16);
  CHECK(split_plan(hmma_recipe(), shape(32, 1, 8192, 132)) == 4);
  CHECK(split_plan(hmma_recipe(), shape(128, 1, 8192, 132)) == 1);
  CHECK(split_plan(gmma_recipe(), shape(1, 1, 8192, 132)) == 99);
  CHECK(split_plan(gmma_recipe(), shape(8, 1, 8192, 132)) == 12);
  CHECK(split_plan(gmma_recipe(), shape(32, 1, 8192, 132)) == 3);
  CHECK(split_plan(gmma_recipe(), shape(128, 1, 8192, 132)) == 1);
  xqacheck_problem forced = shape(1, 1, 64, 132);
  forced.forced_splits = 7;
  CHECK(split_plan(hmma_recipe(), forced) == 7);
}

TEST_CASE("tiles of a split", "[geometry]") {
  Block block;
  block.first_tile = 2, block.end_tile = 9, block.splits = 3;
  const Recipe strided = hmma_recipe();
  CHECK(split_tiles(strided, block, 0) == std::vector<std::uint32_t>{2, 5, 8});
  CHECK(split_tiles(strided, block, 2) == std::vector<std::uint32_t>{4, 7});
  const Recipe contiguous = parse_recipe("hmma", "sm_90", "", "splits=contiguous");
  CHECK(split_tiles(contiguous, block, 0) == std::vector<std::uint32_t>{2, 3, 4});
  CHECK(split_tiles(contiguous, block, 2) == std::vector<std::uint32_t>{8});
  block.splits = 20;
  CHECK(split_tiles(strided, block, 19).empty());
}

TEST_CASE("scratch sizes, by the formulas verified against the highest byte written", "[geometry]") {
  // mma.sync: n = splits * pairs; A = 2 n 128 ceil(16 / 32); A rounded up to a tile, then n tiles of 2 * 128 * rows.
  const xqacheck_problem p = shape(2, 2, 4096, 132);
  const std::uint64_t splits = split_plan(hmma_recipe(), p), n = splits * 4, tile = 2 * 128 * 8;
  REQUIRE(splits == 16);
  CHECK(scratch_layout(hmma_recipe(), p).bytes == (2 * n * 128 + tile - 1) / tile * tile + n * tile);
  // wgmma: 8 bytes a row, rounded up to a tile, then the tiles.
  const std::uint64_t m = std::uint64_t{split_plan(gmma_recipe(), p)} * 4;
  CHECK(scratch_layout(gmma_recipe(), p).bytes == (8 * 8 * m + tile - 1) / tile * tile + m * tile);
  CHECK(scratch_layout(hmma_recipe(), shape(128, 2, 64, 132)).bytes == 0);  // one split
}
