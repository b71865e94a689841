#include "reference/filters/readings.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "reference/golden.hpp"
#include "reference/golden/tensor.hpp"

namespace xqacheck::reference::filters {
namespace {

using Problem = xqacheck_problem;

bool present(const xqacheck_tensor& tensor) {
  return tensor.data != nullptr;
}

bool set(xqacheck_scale& scale, float value) {
  if (value_of(scale) == double{value}) return false;
  scale = {value, 0, nullptr};
  return true;
}

void replace(xqacheck_tensor& tensor, std::vector<std::uint32_t>& words) {
  tensor.data = words.data();
  tensor.bytes = words.size() * sizeof(std::uint32_t);
}

// Every length through `change`; false when none changed.
bool change_lengths(const Problem& p, Reread& r, const std::function<std::uint32_t(std::uint32_t)>& change) {
  auto& lengths = r.words.emplace_back();
  bool changed = false;
  for (std::uint32_t b = 0; b < p.requests; ++b) {
    const auto length = value_at<std::uint32_t>(p.seq_lens, "seq_lens", b);
    lengths.push_back(length == 0 ? 0 : std::min(change(length), p.max_seq_len));
    changed = changed || lengths.back() != length;
  }
  replace(r.problem.seq_lens, lengths);
  return changed;
}

bool change_sinks(const Problem& p, Reread& r, const std::function<float(float, std::uint32_t)>& change) {
  if (!present(p.sinks)) return false;
  auto& sinks = r.floats.emplace_back();
  for (std::uint32_t h = 0; h < p.q_heads; ++h) sinks.push_back(change(value_at<float>(p.sinks, "sinks", h), h));
  r.problem.sinks.data = sinks.data();
  return true;
}

bool shift_positions(const Problem& p, Reread& r, std::int64_t shift) {
  if (p.rope_kind == XQACHECK_ROPE_NONE || p.rotary_dim == 0) return false;
  const auto positions = static_cast<std::int64_t>(p.rope_table.bytes / sizeof(float) / p.rotary_dim);
  auto& table = r.floats.emplace_back();
  for (std::int64_t at = 0; at < positions; ++at) {
    const std::int64_t from = std::clamp<std::int64_t>(at + shift, 0, positions - 1);
    for (std::int64_t i = 0; i < p.rotary_dim; ++i)
      table.push_back(value_at<float>(p.rope_table, "rope_table", from * p.rotary_dim + i));
  }
  r.problem.rope_table.data = table.data();
  r.problem.rope_table.bytes = table.size() * sizeof(float);
  return true;
}

bool causal(const Problem& p, Reread& r) {
  if (p.mask_kind == XQACHECK_MASK_NONE || p.max_rows < 2) return false;
  r.problem.mask_kind = XQACHECK_MASK_CAUSAL;
  r.problem.mask = {};
  r.problem.mask_words = 0;
  r.problem.depths = {};
  return true;
}

// Query head h uses KV head h % kv_heads: the group layout mixed up.
bool interleaved_groups(const Problem& p, Reread& r) {
  if (p.kv_heads == 1 || p.kv_heads == p.q_heads) return false;
  const std::uint32_t group = p.q_heads / p.kv_heads;
  std::vector<std::uint32_t> used(p.kv_heads, 0);
  for (std::uint32_t h = 0; h < p.q_heads; ++h) r.head_order.push_back(h % p.kv_heads * group + used[h % p.kv_heads]++);
  return true;
}

std::vector<Reading> make_readings() {
  const float natural_of_binary = 0.693147180559945f;  // ln 2: a sink taken as a base-2 logit
  return {
      {"sinks ignored",
       [](const Problem& p, Reread& r) {
         r.problem.sinks = {};
         return present(p.sinks);
       }},
      {"sinks read as base-2 logits",
       [=](const Problem& p, Reread& r) {
         return change_sinks(p, r, [=](float s, std::uint32_t) { return s * natural_of_binary; });
       }},
      {"sink of head 0 used for all heads",
       [](const Problem& p, Reread& r) {
         return change_sinks(p, r, [&](float, std::uint32_t) { return value_at<float>(p.sinks, "sinks", 0); });
       }},
      {"sliding window ignored",
       [](const Problem& p, Reread& r) {
         r.problem.window = 0;
         return p.window != 0;
       }},
      {"window one token too wide",
       [](const Problem& p, Reread& r) {
         r.problem.window = p.window + 1;
         return p.window != 0;
       }},
      {"window one token too narrow",
       [](const Problem& p, Reread& r) {
         r.problem.window = p.window - 1;
         return p.window > 1;
       }},
      {"window of the last draft used for all drafts",
       [](const Problem& p, Reread& r) {
         auto& depths = r.words.emplace_back(p.total_rows, p.max_rows - 1);
         replace(r.problem.depths, depths);
         r.problem.depths.dtype = XQACHECK_UINT32;
         return p.window != 0 && p.max_rows > 1 && p.rope_kind == XQACHECK_ROPE_NONE;
       }},
      {"mask ignored: every draft sees every draft",
       [](const Problem& p, Reread& r) {
         r.problem.mask_kind = XQACHECK_MASK_NONE;
         return p.mask_kind != XQACHECK_MASK_NONE && p.max_rows > 1;
       }},
      {"causal mask instead of the given one", causal},
      {"last token missing",
       [](const Problem& p, Reread& r) {
         return p.max_rows == 1 && change_lengths(p, r, [](std::uint32_t s) { return s - 1; });
       }},
      {"one token past the end attended",
       [](const Problem& p, Reread& r) {
         return p.max_rows == 1 && change_lengths(p, r, [](std::uint32_t s) { return s + 1; });
       }},
      {"the rest of the last page attended",
       [](const Problem& p, Reread& r) {
         return p.page_tokens > 1 && p.max_rows == 1 && change_lengths(p, r, [&](std::uint32_t s) {
                  return (s + p.page_tokens - 1) / p.page_tokens * p.page_tokens;
                });
       }},
      {"length of the longest request used for all",
       [](const Problem& p, Reread& r) {
         return p.requests > 1 && p.max_rows == 1 && change_lengths(p, r, [&](std::uint32_t) { return p.max_seq_len; });
       }},
      {"q scale ignored", [](const Problem&, Reread& r) { return set(r.problem.q_scale, 1); }},
      {"k scale ignored", [](const Problem&, Reread& r) { return set(r.problem.k_scale, 1); }},
      {"v scale ignored", [](const Problem&, Reread& r) { return set(r.problem.v_scale, 1); }},
      {"k and v scales exchanged",
       [](const Problem& p, Reread& r) {
         std::swap(r.problem.k_scale, r.problem.v_scale);
         return value_of(p.k_scale) != value_of(p.v_scale);
       }},
      {"output scale ignored", [](const Problem&, Reread& r) { return set(r.problem.rcp_out_scale, 1); }},
      {"output divided by its scale instead of multiplied",
       [](const Problem& p, Reread& r) {
         return set(r.problem.rcp_out_scale, static_cast<float>(1 / value_of(p.rcp_out_scale)));
       }},
      {"1 / sqrt(head_dim) forgotten",
       [](const Problem& p, Reread& r) {
         return set(r.problem.q_scale, static_cast<float>(value_of(p.q_scale) * std::sqrt(double{1} * p.head_dim)));
       }},
      {"head and token strides of the cache exchanged",
       [](const Problem& p, Reread& r) {
         std::swap(r.problem.k_stride_head, r.problem.k_stride_token);
         std::swap(r.problem.v_stride_head, r.problem.v_stride_token);
         return p.k_stride_head != p.k_stride_token && p.kv_heads > 1;
       }},
      {"K read as V",
       [](const Problem& p, Reread& r) {
         r.problem.v = p.k;
         r.problem.v_stride_page = p.k_stride_page, r.problem.v_stride_head = p.k_stride_head,
         r.problem.v_stride_token = p.k_stride_token;
         r.problem.table_stride_v = 0;
         return p.kv_aliased == 0 && p.head_dim == p.head_dim_v && !present(p.v_new);
       }},
      {"page table ignored: pages in order",
       [](const Problem& p, Reread& r) {
         if (p.page_tokens == 0 || p.table_stride_v != 0) return false;
         auto& table = r.words.emplace_back();
         for (std::uint32_t i = 0; i < p.requests * p.beam_width * p.table_columns; ++i)
           table.push_back(std::min(i, p.pages_in_pool - 1));
         replace(r.problem.page_table, table);
         r.problem.table_stride_beam = p.table_columns;
         r.problem.table_stride_request = std::int64_t{p.table_columns} * p.beam_width;
         return true;
       }},
      {"page table of request 0 used for all",
       [](const Problem& p, Reread& r) {
         r.problem.table_stride_request = 0;
         return p.page_tokens != 0 && p.requests > 1;
       }},
      {"page table of beam 0 used for all",
       [](const Problem& p, Reread& r) {
         r.problem.table_stride_beam = 0;
         return p.page_tokens != 0 && p.beam_width > 1;
       }},
      {"beam index ignored",
       [](const Problem& p, Reread& r) {
         r.problem.beam_index = {};
         return p.beam_width > 1 && present(p.beam_index);
       }},
      {"shared context of the beams ignored",
       [](const Problem& p, Reread& r) {
         r.problem.beam_context = {};
         return present(p.beam_context) && p.beam_width > 1;
       }},
      {"query heads spread over the KV heads in turn", interleaved_groups},
      {"the other style of RoPE",
       [](const Problem& p, Reread& r) {
         r.problem.rope_kind = p.rope_kind == XQACHECK_ROPE_NEOX ? XQACHECK_ROPE_GPTJ : XQACHECK_ROPE_NEOX;
         return p.rope_kind != XQACHECK_ROPE_NONE;
       }},
      {"RoPE not applied",
       [](const Problem& p, Reread& r) {
         r.problem.rope_kind = XQACHECK_ROPE_NONE;
         return p.rope_kind != XQACHECK_ROPE_NONE;
       }},
      {"RoPE position one too small", [](const Problem& p, Reread& r) { return shift_positions(p, r, -1); }},
      {"RoPE position one too large", [](const Problem& p, Reread& r) { return shift_positions(p, r, 1); }},
      {"QKV bias ignored",
       [](const Problem& p, Reread& r) {
         r.problem.qkv_bias = {};
         return present(p.qkv_bias);
       }},
      {"new tokens not appended: stale cache attended",
       [](const Problem& p, Reread& r) {
         r.problem.k_new = {};
         r.problem.v_new = {};
         return present(p.k_new);
       }},
  };
}

// Moves the rows of query heads so that golden gives head h the result of a different grouping, and back.
std::vector<double> with_head_order(const Reread& r, const xqacheck_numerics* numerics, int threads) {
  xqacheck_problem p = r.problem;
  const std::uint64_t bytes = p.head_dim * bytes_of(p.q.dtype);
  std::vector<std::byte> q(std::size_t{p.total_rows} * p.q_heads * bytes);
  std::vector<float> sinks(p.q_heads);
  for (std::uint32_t h = 0; h < p.q_heads; ++h) {
    const std::uint32_t place = r.head_order[h];
    if (present(p.sinks)) sinks[place] = value_at<float>(p.sinks, "sinks", h);
    for (std::uint32_t row = 0; row < p.total_rows; ++row) {
      const std::byte* from = elements(p.q, "q", row * p.q_stride_row + h * p.q_stride_head, p.head_dim);
      std::copy_n(from, bytes, q.data() + (std::uint64_t{row} * p.q_heads + place) * bytes);
    }
  }
  p.q.data = q.data(), p.q.bytes = q.size();
  p.q_stride_head = p.head_dim, p.q_stride_row = std::int64_t{p.head_dim} * p.q_heads;
  if (present(p.sinks)) p.sinks.data = sinks.data();
  const Golden moved = golden(p, numerics, {.error_model = false, .threads = threads});
  std::vector<double> out(moved.out.size());
  for (std::uint64_t row = 0; row < p.total_rows; ++row) {
    for (std::uint32_t h = 0; h < p.q_heads; ++h) {
      std::copy_n(moved.out.data() + (row * p.q_heads + r.head_order[h]) * p.head_dim_v, p.head_dim_v,
                  out.data() + (row * p.q_heads + h) * p.head_dim_v);
    }
  }
  return out;
}

}  // namespace

const std::vector<Reading>& readings() {
  static const std::vector<Reading> all = make_readings();
  return all;
}

std::vector<double> output_of(const Reading& reading, const xqacheck_problem& problem,
                              const xqacheck_numerics* numerics, int threads) {
  Reread r;
  r.problem = problem;
  try {
    if (!reading.apply(problem, r)) return {};
    if (!r.head_order.empty()) return with_head_order(r, numerics, threads);
    return golden(r.problem, numerics, {.error_model = false, .threads = threads}).out;
  } catch (const std::exception&) {
    return {};  // reads outside of the tensors: the kernel would have crashed, or the reading makes no sense here
  }
}

}  // namespace xqacheck::reference::filters
