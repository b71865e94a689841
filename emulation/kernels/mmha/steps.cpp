#include "emulation/kernels/mmha/steps.hpp"

#include <bit>
#include <cmath>

#include "emulation/arith/array.hpp"
#include "emulation/arith/scalar.hpp"

namespace xqacheck::emulation::mmha {
namespace {

constexpr float kLog2e = std::bit_cast<float>(0x3fb8aa3bu), kLn2 = std::bit_cast<float>(0x3f317218u);
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::uint32_t bits(float x) {
  return std::bit_cast<std::uint32_t>(x);
}
float number(std::uint32_t x) {
  return std::bit_cast<float>(x);
}

float weight(float x, float maximum) {
  return x == -kInfinity ? 0.f : number(arith::ex2_approx_f32(bits((x - maximum) * kLog2e)));
}
// Maximum that a NaN survives.
float max_or_nan(float a, float b) {
  if (a != a) return a;
  return b != b || b > a ? b : a;
}

// Butterfly over 32 lanes, steps 16, 8, 4, 2, 1: every lane ends with the same value, since both partners add the same
// two numbers.
float warp_sum(const float* lanes) {
  float sums[32];
  std::copy(lanes, lanes + 32, sums);
  for (int step = 16; step > 0; step /= 2)
    for (int lane = 0; lane < step; ++lane) sums[lane] = sums[lane] + sums[lane + step];
  return sums[0];
}

// The inner loops in one function each, so that the compiler can use the machine's fma; the bits are those of IEEE fma
// either way.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && defined(__GNUC__) && !defined(__clang__)
#define XQACHECK_FMA_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define XQACHECK_FMA_CLONES
#endif

// Lane l sums channels l, l + 32, … in order.
XQACHECK_FMA_CLONES void dot_lanes(const float* query, const float* key, std::uint32_t dim, float* lanes) {
  for (std::uint32_t lane = 0; lane < 32; ++lane) lanes[lane] = 0;
  for (std::uint32_t base = 0; base < dim; base += 32) {
    const std::uint32_t count = std::min(32u, dim - base);
    for (std::uint32_t lane = 0; lane < count; ++lane)
      lanes[lane] = __builtin_fmaf(query[base + lane], key[base + lane], lanes[lane]);
  }
}

XQACHECK_FMA_CLONES void add_weighted(float factor, const float* value, float* sum, std::size_t count) {
  for (std::size_t d = 0; d < count; ++d) sum[d] = __builtin_fmaf(factor, value[d], sum[d]);
}

}  // namespace

void decode(const xqacheck_tensor& tensor, std::int64_t index, std::uint32_t count, float* out) {
  auto* target = reinterpret_cast<std::uint32_t*>(out);
  switch (tensor.dtype) {
    case XQACHECK_FP16:
      return arith::f16_to_f32_array(data_of<std::uint16_t>(tensor) + index, target, count);
    case XQACHECK_BF16:
      return arith::bf16_to_f32_array(data_of<std::uint16_t>(tensor) + index, target, count);
    case XQACHECK_E4M3:
      return arith::e4m3_to_f32_array(data_of<std::uint8_t>(tensor) + index, target, count);
    default:
      return arith::s8_to_f32_array(data_of<std::int8_t>(tensor) + index, target, count);
  }
}

Block::Block(const xqacheck_problem& problem, std::uint32_t row_of_q, std::uint32_t q_head)
    : p(problem),
      row(row_of(problem, row_of_q)),
      row_number(row_of_q),
      head(q_head),
      kv_head(q_head / (problem.q_heads / problem.kv_heads)) {
  const auto rsqrt_dim = static_cast<float>(1.0 / std::sqrt(static_cast<double>(p.head_dim)));
  scale = value_of(p.q_scale) * value_of(p.k_scale) * rsqrt_dim;
  query.resize(p.head_dim);
  decode(p.q, row_number * p.q_stride_row + head * p.q_stride_head, p.head_dim, query.data());
}

void score_tile(const Block& block, std::int64_t first_token, Tile& tile) {
  const auto& p = block.p;
  std::vector<float> key(p.head_dim);
  for (int i = 0; i < kTile; ++i) {
    tile.score[i] = -kInfinity, tile.v_index[i] = -1;
    if (!visible(p, block.row, first_token + i)) continue;
    decode(p.k, cache_index(p, block.row, block.kv_head, first_token + i, false), p.head_dim, key.data());
    float lanes[32];
    dot_lanes(block.query.data(), key.data(), p.head_dim, lanes);
    tile.score[i] = warp_sum(lanes) * block.scale;
    tile.v_index[i] = cache_index(p, block.row, block.kv_head, first_token + i, true);
  }
}

void consume_tile(const Block& block, const Tile& tile, Running& running) {
  float maximum = running.maximum;
  for (float score : tile.score) maximum = max_or_nan(maximum, score);
  const float shrink = weight(running.maximum, maximum);
  float weights[kTile], sums[kWarps];
  for (int i = 0; i < kTile; ++i) weights[i] = tile.v_index[i] < 0 ? 0.f : weight(tile.score[i], maximum);
  for (int w = 0; w < kWarps; ++w) sums[w] = warp_sum(weights + 32 * w);
  running.maximum = maximum;
  running.sum = std::fma(running.sum, shrink, (sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (float& output : running.output) output *= shrink;
  std::vector<float> value(running.output.size());
  for (int i = 0; i < kTile; ++i) {
    if (tile.v_index[i] < 0) continue;
    decode(block.p.v, tile.v_index[i], static_cast<std::uint32_t>(value.size()), value.data());
    add_weighted(weights[i], value.data(), running.output.data(), value.size());
  }
}

Running run_sub_sequence(const Block& block, std::uint32_t split, std::uint32_t splits) {
  Running running;
  running.output.assign(block.p.head_dim_v, 0.f);
  const std::int64_t first_tile = block.row.begin / kTile, last_tile = (block.row.length + kTile - 1) / kTile;
  const std::int64_t chunk = (last_tile - first_tile + splits - 1) / splits;
  const std::int64_t begin = first_tile + split * chunk, end = std::min(begin + chunk, last_tile);
  Tile tile;
  for (std::int64_t i = begin; i < end; ++i) {
    score_tile(block, i * kTile, tile);
    consume_tile(block, tile, running);
  }
  return running;
}

Running merge(const Block& block, const std::vector<Running>& partials) {
  Running total;
  total.output.assign(block.p.head_dim_v, 0.f);
  for (const auto& partial : partials) total.maximum = max_or_nan(total.maximum, partial.maximum);
  for (const auto& partial : partials) {
    const float share = weight(partial.maximum, total.maximum);
    total.sum = std::fma(partial.sum, share, total.sum);
    add_weighted(share, partial.output.data(), total.output.data(), total.output.size());
  }
  return total;
}

void finish(const Block& block, Running running) {
  const auto& p = block.p;
  const bool empty = running.maximum == -kInfinity;
  float shrink = 1;
  if (p.sinks.data != nullptr) {
    const float sink = data_of<float>(p.sinks)[block.head];
    const float maximum = max_or_nan(running.maximum, sink);
    shrink = weight(running.maximum, maximum);
    running.sum = std::fma(running.sum, shrink, sink == kInfinity ? 1.f : weight(sink, maximum));
    running.maximum = maximum;
  }
  const float factor = number(arith::rcp_rn_f32(bits(running.sum))) * value_of(p.v_scale) * value_of(p.rcp_out_scale);
  const std::int64_t at = block.row_number * p.out_stride_row + block.head * p.out_stride_head;
  for (std::uint32_t d = 0; d < p.head_dim_v; ++d) {
    const std::uint32_t value = empty ? 0u : bits(running.output[d] * shrink * factor);
    if (p.out.dtype == XQACHECK_FP16) static_cast<std::uint16_t*>(p.out.data)[at + d] = arith::cvt_rn_f16_f32(value);
    if (p.out.dtype == XQACHECK_BF16) static_cast<std::uint16_t*>(p.out.data)[at + d] = arith::cvt_rn_bf16_f32(value);
    if (p.out.dtype == XQACHECK_E4M3)
      static_cast<std::uint8_t*>(p.out.data)[at + d] = arith::cvt_rn_satfinite_e4m3_f32(value);
  }
  if (p.lse.data == nullptr) return;
  const float log2_sum = number(arith::lg2_approx_ftz_f32(bits(running.sum)));
  const float lse =
      p.lse_base == 2 ? std::fma(running.maximum, kLog2e, log2_sum) : std::fma(log2_sum, kLn2, running.maximum);
  // The GPU writes one NaN pattern only.
  static_cast<float*>(p.lse.data)[std::int64_t{block.row_number} * p.q_heads + block.head] =
      lse != lse ? number(0x7fffffffu) : lse;
}

}  // namespace xqacheck::emulation::mmha
