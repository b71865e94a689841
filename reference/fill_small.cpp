// The small tensors: beams, RoPE table, sinks, lengths and scales.
#include <algorithm>
#include <iterator>
#include <vector>

#include "reference/elementary.hpp"
#include "reference/fill.hpp"
#include "reference/philox.hpp"

namespace xqacheck::reference {
namespace {

constexpr double kRopeBase = 10000;  // of the original RoPE paper, arXiv:2104.09864
// LongRoPE (arXiv:2402.13753) stretches each pair's wavelength by its own factor and scales cos and sin. The factors
// here rise from 1 to 8, the scale is sqrt(1 + ln 32 / ln 4096), that of a model stretched from 4096 to 131072 tokens.
constexpr double kLongRopeStretch = 7, kLongRopeScale = 1.1902380714238083;

float log_level(const Case& c) {
  // Near the log of the longest length: such a sink takes about half of the weight of that request.
  return static_cast<float>(portable_log(c.max_len() > 1 ? c.max_len() : 2));
}

float sink_logit(const Case& c, std::uint32_t h) {
  constexpr float kOffsets[] = {0, 0.5f, -0.75f, 0.25f};       // so that neighbours in a group differ
  constexpr float kMix[] = {12, 25, 60.5f, 88, -30, -75.25f};  // 88: exp is just finite in fp32
  constexpr float kExtreme[] = {10000, -10000, 95, -0.125f};   // 95: exp overflows fp32
  switch (c.sinks) {
    case SinkKind::level:
      return c.sink_level + static_cast<float>(h % 4);
    case SinkKind::log:
      return log_level(c) + kOffsets[h % 4];
    case SinkKind::mix:
      return h % 3 == 0 ? log_level(c) + kOffsets[h / 3 % 4] : kMix[(h - h / 3 - 1) % std::size(kMix)];
    case SinkKind::extreme:
      return kExtreme[h % 4];
    case SinkKind::none:
      break;
  }
  return 0;
}

template <class T>
T* allocate(Problem& p, TensorId id, std::size_t count) {
  p.tensor(id) = HostBuffer(count * sizeof(T));
  return p.tensor(id).as<T>();
}

}  // namespace

void fill_beams(const Making& m, Problem& p) {
  const Case& c = m.c;
  p.description.beam_width = c.beam;
  if (c.beam == 1) return;
  p.description.beam_index.dtype = XQACHECK_INT32;
  p.description.beam_context.dtype = XQACHECK_UINT32;
  const std::uint32_t capacity = m.shape.max_seq_len;
  auto* index = allocate<std::int32_t>(p, TensorId::beam_index, std::size_t{m.shape.requests} * c.beam * capacity);
  auto* context = allocate<std::uint32_t>(p, TensorId::beam_context, m.shape.requests);
  for (std::uint32_t b = 0; b < m.shape.requests; ++b) {
    context[b] = shared_context(c, b);
    for (std::uint32_t w = 0; w < c.beam; ++w) {
      for (std::uint32_t t = 0; t < capacity; ++t, ++index) {
        // The newest token is always a beam's own; entries of the context and past the end are not to be followed.
        const bool free = t >= context[b] && t + 1 < c.lens[b];
        *index = static_cast<std::int32_t>(free ? draw4(c.geo, Stream::beams, t, w, b)[0] % c.beam : w);
      }
    }
  }
}

void fill_rope(const Making& m, Problem& p) {
  const Case& c = m.c;
  xqacheck_problem& d = p.description;
  d.rope_kind = c.rope == RopeStyle::none   ? XQACHECK_ROPE_NONE
                : c.rope == RopeStyle::gptj ? XQACHECK_ROPE_GPTJ
                                            : XQACHECK_ROPE_NEOX;
  d.rotary_dim = m.shape.rotary_dim;
  if (c.rope == RopeStyle::none) return;
  d.rope_table.dtype = XQACHECK_FP32;
  const std::uint32_t rotary = m.shape.rotary_dim, pairs = rotary / 2;
  const bool stretched = c.rope == RopeStyle::longrope;
  std::vector<double> frequency(pairs);
  for (std::uint32_t j = 0; j < pairs; ++j) {
    frequency[j] = portable_exp(-(2.0 * j / rotary) * portable_log(kRopeBase));
    if (stretched) frequency[j] /= 1 + kLongRopeStretch * j / (pairs > 1 ? pairs - 1 : 1);
  }
  const double scale = stretched ? kLongRopeScale : 1;
  float* table = allocate<float>(p, TensorId::rope_table, std::size_t{m.shape.max_seq_len} * rotary);
  const auto positions = static_cast<std::int64_t>(m.shape.max_seq_len);
#pragma omp parallel for schedule(static) if (std::uint64_t{m.shape.max_seq_len} * rotary > kParallelElements)
  for (std::int64_t t = 0; t < positions; ++t) {
    for (std::uint32_t j = 0; j < pairs; ++j) {
      const SinCos angle = portable_sincos(static_cast<double>(t) * frequency[j]);
      table[t * rotary + 2 * j] = static_cast<float>(angle.cos * scale);
      table[t * rotary + 2 * j + 1] = static_cast<float>(angle.sin * scale);
    }
  }
}

void fill_sinks(const Making& m, Problem& p) {
  if (m.c.sinks == SinkKind::none) return;
  p.description.sinks.dtype = XQACHECK_FP32;
  float* sinks = allocate<float>(p, TensorId::sinks, m.c.q_heads);
  for (std::uint32_t h = 0; h < m.c.q_heads; ++h) sinks[h] = sink_logit(m.c, h);
}

void fill_scalars(const Making& m, Problem& p) {
  const Case& c = m.c;
  xqacheck_problem& d = p.description;
  d.seq_lens.dtype = XQACHECK_UINT32;
  auto* lens = allocate<std::uint32_t>(p, TensorId::seq_lens, c.lens.size());
  std::copy(c.lens.begin(), c.lens.end(), lens);
  const auto scale = [&](TensorId id, xqacheck_scale& field, float value) {
    *allocate<float>(p, id, 1) = value;
    field.value = value;
  };
  scale(TensorId::q_scale, d.q_scale, c.q_scale);
  scale(TensorId::k_scale, d.k_scale, c.k_scale);
  scale(TensorId::v_scale, d.v_scale, c.v_scale);
  scale(TensorId::rcp_out_scale, d.rcp_out_scale, c.rcp_out_scale);
}

}  // namespace xqacheck::reference
