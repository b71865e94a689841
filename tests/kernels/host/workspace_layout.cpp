#include "kernels/host/workspace_layout.hpp"

#include "tests/catch.hpp"

using namespace xqacheck::kernels;

TEST_CASE("scratch of the mma.sync kernel, by hand") {
  LayoutInput in;
  in.splits = 16, in.batch = 2, in.kv_heads = 2, in.group = 8, in.head_dim = 96;
  // n = 64; statistics 2 * 64 * 128 * ceil(16 / 32) = 16384; tile 2 * 128 * 8 = 2048 bytes.
  const auto layout = scratch_hmma(in);
  CHECK(layout.statistics_bytes == 16384);
  CHECK(layout.tiles_offset == 16384);
  CHECK(layout.total_bytes == 16384 + 64 * 2048);
  in.group = 5, in.splits = 3;  // n = 12; statistics 3072; tile 1280 bytes: rounded up to 3840
  CHECK(scratch_hmma(in).tiles_offset == 3840);
  in.draft_rows = 7;  // 35 rows: two blocks of 32; n = 24; rows 32; tile 8192
  CHECK(scratch_hmma(in).total_bytes == 8192 + 24 * 8192);
  CHECK(semaphores_hmma(in) == 8);
  CHECK(grid_hmma(in).y == 4);
}

TEST_CASE("scratch of the wgmma kernel, by hand") {
  LayoutInput in;
  in.splits = 25, in.batch = 2, in.kv_heads = 2, in.group = 8, in.head_dim = 128;
  // n = 100; statistics 8 * 8 * 100 = 6400; tile 2 * 128 * 8 = 2048: rounded up to 8192.
  CHECK(scratch_gmma(in).tiles_offset == 8192);
  CHECK(scratch_gmma(in).total_bytes == 8192 + 100 * 2048);
  in.draft_rows = 10, in.keys_on_m_side = false;  // 64 / 8 = 8 drafts a block: two blocks
  CHECK(semaphores_gmma(in) == 8);
  CHECK(grid_gmma(in).x == 2);
  CHECK(scratch_gmma(in).total_bytes == 16384 * 7 + 200 * 16384);  // statistics 8 * 64 * 200 = 102400 -> 114688
  in.keys_on_m_side = true, in.draft_rows = 4;
  CHECK(semaphores_gmma(in) == 4);
  CHECK(scratch_gmma(in).statistics_bytes == 8 * 32 * 100);
}

TEST_CASE("grid limits name the dimension") {
  CHECK(check_grid({1, 1, 65535}).empty());
  CHECK_THAT(check_grid({1, 1, 65536}), Catch::Contains("grid.z=65536"));
  CHECK_THAT(check_grid({1, 70000, 1}), Catch::Contains("grid.y=70000"));
  CHECK_THAT(check_grid({std::uint64_t{1} << 31, 1, 1}), Catch::Contains("grid.x"));
}

TEST_CASE("pool limits: head multiples, 2^32 heads, 2^31 pages, alignment, divisibility") {
  PoolLimits pool;
  pool.pages = 1024, pool.stride_page = 32 * 2 * 128, pool.stride_token = 256, pool.stride_head = 128,
  pool.max_seq_len = 4096;
  CHECK(check_pool_hmma(pool).empty());
  CHECK(check_pool_gmma(pool).empty());

  auto odd = pool;
  odd.stride_token = 264;  // 528 bytes: fine for a tensor map, not a whole number of heads
  CHECK_THAT(check_pool_hmma(odd), Catch::Contains("stride_token=264"));
  CHECK(check_pool_gmma(odd).empty());
  odd.stride_token = 260;
  CHECK_THAT(check_pool_gmma(odd), Catch::Contains("520 bytes"));

  auto far = pool;
  far.pages = (std::uint64_t{1} << 32) / 64;  // the last page starts at head 2^32 - 64: still fits
  CHECK(check_pool_hmma(far).empty());
  far.pages += 2;
  CHECK_THAT(check_pool_hmma(far), Catch::Contains("below 2^32"));

  auto length = pool;
  length.max_seq_len = 4100;
  CHECK_THAT(check_pool_hmma(length), Catch::Contains("max_seq_len=4100"));
  auto address = pool;
  address.pool_address = 0x1008;
  CHECK_THAT(check_pool_gmma(address), Catch::Contains("0x1008"));
}
