#include "kernels/host/workspace_layout.hpp"

#include <fmt/format.h>

namespace xqacheck::kernels {
namespace {

constexpr std::uint32_t kDraftRowsHmma = 32;  // rows of one block of the mma.sync kernel with drafts
constexpr std::uint32_t kDraftRowsGmma = 64;  // M of wgmma

std::uint64_t div_up(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}
std::uint64_t round_up(std::uint64_t a, std::uint64_t b) {
  return div_up(a, b) * b;
}

std::uint64_t row_blocks_hmma(const LayoutInput& in) {
  return in.draft_rows == 0 ? 1 : div_up(std::uint64_t{in.draft_rows} * in.group, kDraftRowsHmma);
}

std::uint64_t row_blocks_gmma(const LayoutInput& in) {
  if (in.draft_rows == 0 || in.keys_on_m_side) return 1;
  return div_up(in.draft_rows, kDraftRowsGmma / in.group);
}

std::uint64_t rows_gmma(const LayoutInput& in) {
  if (in.draft_rows == 0) return in.group;
  return in.keys_on_m_side ? std::uint64_t{in.draft_rows} * in.group : kDraftRowsGmma;
}

ScratchLayout layout(std::uint64_t statistics, std::uint64_t tile_bytes, std::uint64_t tiles) {
  ScratchLayout result;
  result.statistics_bytes = statistics;
  result.tiles_offset = round_up(statistics, tile_bytes);
  result.total_bytes = result.tiles_offset + tiles * tile_bytes;
  return result;
}

}  // namespace

std::uint32_t padded_head_dim(std::uint32_t head_dim) {
  return head_dim <= 64 ? 64 : head_dim <= 128 ? 128 : head_dim <= 256 ? 256 : 512;
}

ScratchLayout scratch_hmma(const LayoutInput& in) {
  const std::uint64_t rows = in.draft_rows == 0 ? in.group : kDraftRowsHmma;
  const std::uint64_t n = std::uint64_t{in.splits} * in.kv_heads * in.batch * row_blocks_hmma(in);
  return layout(2 * n * 128 * div_up(round_up(rows, 16), 32), std::uint64_t{2} * padded_head_dim(in.head_dim) * rows,
                n);
}

ScratchLayout scratch_gmma(const LayoutInput& in) {
  const std::uint64_t rows = rows_gmma(in);
  const std::uint64_t n = std::uint64_t{in.splits} * in.kv_heads * in.batch * row_blocks_gmma(in);
  return layout(8 * rows * n, std::uint64_t{2} * in.head_dim * rows, n);
}

std::uint64_t semaphores_hmma(const LayoutInput& in) {
  return std::uint64_t{in.kv_heads} * in.batch * row_blocks_hmma(in);
}
std::uint64_t semaphores_gmma(const LayoutInput& in) {
  return std::uint64_t{in.kv_heads} * in.batch * row_blocks_gmma(in);
}

Grid grid_hmma(const LayoutInput& in) {
  return {in.splits, in.kv_heads * row_blocks_hmma(in), in.batch};
}
Grid grid_gmma(const LayoutInput& in) {
  return {row_blocks_gmma(in), in.splits, std::uint64_t{in.kv_heads} * in.batch};
}

std::string check_grid(const Grid& grid) {
  constexpr std::uint64_t kMaxX = (std::uint64_t{1} << 31) - 1,
                          kMaxYZ = 65535;  // CUDA programming guide, compute capability table
  if (grid.x > kMaxX) return fmt::format("grid.x={}: at most {}; use fewer splits", grid.x, kMaxX);
  if (grid.y > kMaxYZ) return fmt::format("grid.y={}: at most {}; use fewer heads, drafts or splits", grid.y, kMaxYZ);
  if (grid.z > kMaxYZ) return fmt::format("grid.z={}: at most {}; cut the batch", grid.z, kMaxYZ);
  return {};
}

std::string check_pool_hmma(const PoolLimits& in) {
  constexpr std::uint64_t kHeads32 = std::uint64_t{1} << 32, kPages31 = std::uint64_t{1} << 31;
  for (const auto& [name, stride] :
       {std::pair{"stride_page", in.stride_page}, std::pair{"stride_token", in.stride_token},
        std::pair{"stride_head", in.stride_head}}) {
    if (stride < 0 || stride % in.head_dim != 0)
      return fmt::format("{}={}: must be a multiple of head_dim={}, since the kernel counts strides in whole heads",
                         name, stride, in.head_dim);
  }
  if (in.pages > kPages31)
    return fmt::format("pages={}: page ids of 2^31 and more are read as missing pages", in.pages);
  const std::uint64_t heads_per_page = static_cast<std::uint64_t>(in.stride_page) / in.head_dim;
  if (in.pages != 0 && heads_per_page != 0 && in.pages - 1 > (kHeads32 - 1) / heads_per_page)
    return fmt::format("pages={} x {} heads a page: offsets in heads must stay below 2^32; use a smaller pool",
                       in.pages, heads_per_page);
  if (in.page_tokens != 0 && in.max_seq_len % in.page_tokens != 0)
    return fmt::format("max_seq_len={}: must be a multiple of page_tokens={}", in.max_seq_len, in.page_tokens);
  return {};
}

std::string check_pool_gmma(const PoolLimits& in) {
  constexpr std::uint32_t kTensorMapAlign = 16;  // cuTensorMapEncodeTiled: globalAddress and globalStrides
  if (in.pool_address % kTensorMapAlign != 0)
    return fmt::format("pool address {:#x}: must be a multiple of 16 bytes", in.pool_address);
  for (const auto& [name, stride] :
       {std::pair{"stride_page", in.stride_page}, std::pair{"stride_token", in.stride_token},
        std::pair{"stride_head", in.stride_head}}) {
    if (stride < 0 || static_cast<std::uint64_t>(stride) * in.element_bytes % kTensorMapAlign != 0)
      return fmt::format("{}={}: {} bytes are not a multiple of 16, as a tensor map needs", name, stride,
                         stride * in.element_bytes);
  }
  if (in.page_tokens != 0 && in.max_seq_len % in.page_tokens != 0)
    return fmt::format("max_seq_len={}: must be a multiple of page_tokens={}", in.max_seq_len, in.page_tokens);
  return {};
}

}  // namespace xqacheck::kernels
