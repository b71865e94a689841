// Scratch layouts and launch grids of the public XQA kernels, and the limits that their 32-bit arithmetic sets.
// Formulas were verified against the highest byte that the kernels write (facts: xqa-kernels section 1.2).
#pragma once

#include <cstdint>
#include <string>

namespace xqacheck::kernels {

struct ScratchLayout {
  std::uint64_t statistics_bytes = 0;  // row maxima and row sums, at offset 0
  std::uint64_t tiles_offset = 0;      // first byte of the partial output tiles
  std::uint64_t total_bytes = 0;
};

struct LayoutInput {
  std::uint32_t splits = 1, batch = 1, kv_heads = 1, group = 1;
  std::uint32_t head_dim = 128;  // the real one; padded inside where the kernel pads
  std::uint32_t draft_rows = 0;  // 0: decode; else the longest draft, in tokens
  bool keys_on_m_side = true;    // GMMA drafts only: fixed small draft length
};

std::uint32_t padded_head_dim(std::uint32_t head_dim);  // 64, 128, 256, 512

// mma.sync kernel: n = splits * kv_heads * batch (drafts: times the row blocks of 32), rows = group (drafts: 32);
// statistics = 2 * n * 128 * ceil(roundUp(rows, 16) / 32), tiles aligned to 2 * padded_dim * rows.
ScratchLayout scratch_hmma(const LayoutInput& in);
// wgmma kernel: n = splits * kv_heads * batch * row blocks; rows = group (drafts: 64, or draft_rows * group with keys
// on the M side); statistics = 8 * rows * n, tiles aligned to 2 * head_dim * rows.
ScratchLayout scratch_gmma(const LayoutInput& in);

// Semaphores: one uint32 for each (kv head, request) and draft row block.
std::uint64_t semaphores_hmma(const LayoutInput& in);
std::uint64_t semaphores_gmma(const LayoutInput& in);

struct Grid {
  std::uint64_t x = 1, y = 1, z = 1;
};
Grid grid_hmma(const LayoutInput& in);  // (splits, kv_heads * row blocks, batch)
Grid grid_gmma(const LayoutInput& in);  // (row blocks, splits, kv_heads * batch)

// Everything about a page pool that the kernels' own arithmetic limits.
struct PoolLimits {
  std::uint64_t pages = 0;
  std::int64_t stride_page = 0, stride_token = 0, stride_head = 0;  // elements
  std::uint32_t head_dim = 128, element_bytes = 2;
  std::uint32_t page_tokens = 32, max_seq_len = 0;
  std::uint64_t pool_address = 0;
};
// Empty when fine; else one sentence: field, value, limit, fix.
std::string check_grid(const Grid& grid);
std::string check_pool_hmma(
    const PoolLimits& in);  // strides in whole heads, page * stride < 2^32 heads, page id < 2^31
std::string check_pool_gmma(const PoolLimits& in);  // tensor map: addresses and strides multiples of 16 bytes

}  // namespace xqacheck::kernels
