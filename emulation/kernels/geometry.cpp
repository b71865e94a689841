#include "emulation/kernels/geometry.hpp"

#include <algorithm>
#include <cmath>

namespace xqacheck::emulation {

namespace {

constexpr std::uint32_t kDraftRowsHmma = 32;  // M tile of the mma.sync draft kernel
constexpr std::uint32_t kDraftRowsGmma = 64;  // M side of wgmma

std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }
std::uint64_t round_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b * b; }

// First token that the window leaves visible to draft row `draft` (or to the newest token); 0 without a window.
std::uint32_t window_begin(const Recipe& recipe, const Call& call, std::uint32_t seq_len, std::uint32_t drafts,
                           std::uint32_t draft) {
  const std::uint64_t window = std::uint64_t{call.problem.window} + recipe.extra_window;
  if (call.problem.window == 0 || seq_len <= call.problem.window) return 0;
  const std::uint64_t last = std::uint64_t{seq_len} - drafts + 1 + draft;
  return static_cast<std::uint32_t>(last > window ? last - window : 0);
}

// Sink of a row: `row` counts within the thread block. The public draft kernels do not always take the row's own head.
std::uint32_t sink_head(const Recipe& recipe, const Call& call, const Block& block, const Row& row, std::uint32_t index) {
  if (!call.has_sinks() || recipe.sink == SinkIndex::ignored) return kNoSink;
  const std::uint32_t first = block.kv_head * call.group;
  // Queries on the M side and one split: no sink is added at all.
  if (!block.keys_on_m && block.splits == 1) return kNoSink;
  if (recipe.sink == SinkIndex::true_head || !call.draft) return row.q_head;
  return first + (recipe.family == Family::hmma ? index % call.group : std::min(index, call.group - 1));
}

}  // namespace

bool visible(const Call& call, const Block& block, const Row& row, std::uint32_t token) {
  if (token < row.begin || token >= block.seq_len) return false;
  if (token < row.dense_end) return true;
  const std::uint32_t draft = token - row.dense_end;
  return block.causal ? draft <= row.draft : call.mask_bit(block.request, row.draft, draft);
}

bool keys_on_m(const Recipe& recipe, const Call& call) {
  return recipe.family == Family::hmma || !call.draft || recipe.keys_on_m == KeysOnM::always;
}

std::uint32_t block_rows(const Recipe& recipe, const Call& call) {
  if (!call.draft) return call.group * call.beams;
  if (recipe.family == Family::hmma) return kDraftRowsHmma;
  if (keys_on_m(recipe, call)) return call.problem.max_rows * call.group;
  return kDraftRowsGmma / call.group * call.group;  // whole draft tokens only
}

std::uint32_t draft_blocks(const Recipe& recipe, const Call& call) {
  return call.draft ? ceil_div(call.problem.max_rows * call.group, block_rows(recipe, call)) : 1;
}

std::uint32_t split_plan(const Recipe& recipe, const xqacheck_problem& problem) {
  if (problem.forced_splits > 0) return problem.forced_splits;
  const std::uint32_t pairs = problem.requests * problem.kv_heads;
  const std::uint32_t most = std::max(1u, ceil_div(problem.max_seq_len, recipe.cta_tile));
  if (recipe.family == Family::hmma) return std::min(std::max(1u, problem.sm_count / pairs), most);
  // Three blocks fit on a multiprocessor; the launcher aims at a quarter of that many sub-sequences, half rounded up.
  const auto wanted = static_cast<std::uint32_t>(std::lround(problem.sm_count * 3 / pairs * 0.25));
  return std::min(std::max(1u, wanted), most);
}

std::vector<Block> make_blocks(const Recipe& recipe, const Call& call) {
  const std::uint32_t plan = split_plan(recipe, call.problem);
  const std::uint32_t along = draft_blocks(recipe, call);
  const std::uint32_t capacity = block_rows(recipe, call);
  std::vector<Block> blocks;
  for (std::uint32_t request = 0; request < call.requests; ++request) {
    for (std::uint32_t kv_head = 0; kv_head < call.kv_heads; ++kv_head) {
      for (std::uint32_t index = 0; index < along; ++index) {
        Block block;
        block.request = request, block.kv_head = kv_head, block.index = index;
        block.slot = static_cast<std::uint32_t>(blocks.size());
        block.keys_on_m = keys_on_m(recipe, call);
        block.causal = recipe.draft_mask == DraftMask::causal || (recipe.family == Family::gmma && block.keys_on_m);
        block.seq_len = call.seq_len(request);
        const std::uint32_t drafts = call.query_rows(request);
        block.context = call.draft ? block.seq_len - drafts : block.seq_len;
        const std::uint32_t first_flat = index * capacity;
        const std::uint32_t first_draft = call.draft && drafts > 0 ? std::min(first_flat / call.group, drafts - 1) : 0;
        block.first_tile = window_begin(recipe, call, block.seq_len, drafts, first_draft) / recipe.cta_tile;
        block.end_tile = std::max(block.first_tile, ceil_div(block.seq_len, recipe.cta_tile));
        const std::uint32_t tiles = block.end_tile - block.first_tile;
        // wgmma: a request takes no more splits than it has tiles, and none with fewer than two.
        block.splits = recipe.family == Family::hmma ? plan : tiles < 2 ? 1 : std::min(tiles, plan);

        const std::uint32_t total = drafts * call.group * call.beams;
        const std::uint32_t count = first_flat >= total ? 0 : std::min(capacity, total - first_flat);
        for (std::uint32_t i = 0; i < count; ++i) {
          const std::uint32_t flat = first_flat + i;
          Row row;
          row.beam = call.draft ? 0 : flat / call.group;
          row.draft = call.draft ? flat / call.group : 0;
          row.q_row = call.first_row(request) + (call.draft ? row.draft : row.beam);
          row.q_head = kv_head * call.group + flat % call.group;
          row.dense_end = block.context;
          // Drafts with the keys on the M side: whole tiles are skipped, but no edge is masked within a tile.
          const bool tiles_only = call.draft && recipe.family == Family::gmma && block.keys_on_m;
          row.begin = tiles_only ? 0
                                 : window_begin(recipe, call, block.seq_len, drafts,
                                                recipe.draft_window == DraftWindow::last_row ? drafts - 1 : row.draft);
          row.sink_head = sink_head(recipe, call, block, row, i);
          block.rows.push_back(row);
        }
        if (recipe.family == Family::hmma && recipe.skip_all == SkipAllRows::block) {
          const std::uint32_t m_rows = call.draft ? kDraftRowsHmma : ceil_div(capacity, 16) * 16;
          block.has_empty_rows = count < m_rows;
        }
        blocks.push_back(std::move(block));
      }
    }
  }
  return blocks;
}

std::vector<std::uint32_t> split_tiles(const Recipe& recipe, const Block& block, std::uint32_t split) {
  std::vector<std::uint32_t> tiles;
  if (recipe.splits == SplitOrder::strided) {
    for (std::uint32_t t = block.first_tile + split; t < block.end_tile; t += block.splits) tiles.push_back(t);
  } else {
    const std::uint32_t chunk = ceil_div(block.end_tile - block.first_tile, block.splits);
    const std::uint32_t begin = block.first_tile + split * chunk;
    for (std::uint32_t t = begin; t < std::min(begin + chunk, block.end_tile); ++t) tiles.push_back(t);
  }
  return tiles;
}

ScratchLayout scratch_layout(const Recipe& recipe, const xqacheck_problem& problem) {
  const Call call(problem);
  ScratchLayout layout;
  layout.splits = split_plan(recipe, problem);
  layout.blocks = problem.requests * problem.kv_heads * draft_blocks(recipe, call);
  if (layout.splits == 1) return layout;
  const std::uint64_t partials = std::uint64_t{layout.splits} * layout.blocks;
  if (recipe.family == Family::hmma) {
    layout.rows = block_rows(recipe, call);
    layout.row_elements = call.padded_dim();
    layout.stats_rows = 32 * ceil_div(ceil_div(layout.rows, 16) * 16, 32);  // a warp's worth of 32 rows is the unit
  } else {
    layout.rows = call.draft && !keys_on_m(recipe, call) ? kDraftRowsGmma : block_rows(recipe, call);
    layout.row_elements = call.dim;
    layout.stats_rows = layout.rows;
    layout.interleaved = true;
  }
  layout.tile_bytes = std::uint64_t{2} * layout.row_elements * layout.rows;
  layout.tiles = round_up(8 * partials * layout.stats_rows, layout.tile_bytes);
  layout.bytes = layout.tiles + partials * layout.tile_bytes;
  return layout;
}

std::uint64_t ScratchLayout::max_at(std::uint32_t block, std::uint32_t split, std::uint32_t row) const {
  const std::uint64_t entry = (std::uint64_t{block} * splits + split) * stats_rows + row;
  return interleaved ? 8 * entry : 4 * entry;
}

std::uint64_t ScratchLayout::sum_at(std::uint32_t block, std::uint32_t split, std::uint32_t row) const {
  if (interleaved) return max_at(block, split, row) + 4;
  return max_at(block, split, row) + std::uint64_t{4} * splits * blocks * stats_rows;
}

std::uint64_t ScratchLayout::tile_at(std::uint32_t block, std::uint32_t split, std::uint32_t row) const {
  return tiles + (std::uint64_t{block} * splits + split) * tile_bytes + std::uint64_t{2} * row * row_elements;
}

}  // namespace xqacheck::emulation
