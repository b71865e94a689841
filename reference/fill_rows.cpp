#include <cstring>

#include "reference/fill.hpp"
#include "reference/formats.hpp"
#include "reference/normal_table.hpp"
#include "reference/random_row.hpp"

namespace xqacheck::reference {
namespace {

constexpr std::size_t kMaxDim = 576;
constexpr float kBiasSize = 0.5f;  // deviation of the bias: visible beside N(0, 1), not dominant

// Request, beam and draft row of every row of q.
std::vector<RowPlace> places_of_rows(const Making& m) {
  std::vector<RowPlace> places;
  for (std::uint32_t b = 0; b < m.shape.requests; ++b) {
    for (std::uint32_t w = 0; w < m.c.beam; ++w) {
      for (std::uint32_t i = 0; i < m.c.rows(b); ++i) places.push_back({b, w, i, 0});
    }
  }
  return places;
}

void fill_q(const Making& m, const std::vector<RowPlace>& places, Problem& p) {
  const Case& c = m.c;
  const std::size_t element = bytes_of(c.q);
  const std::int64_t row = m.shape.q_stride_row, head = m.shape.q_stride_head;
  // The extent ends with the last element: gaps behind it do not exist.
  const std::int64_t extent = (std::int64_t{m.shape.total_rows()} - 1) * row + (c.q_heads - 1) * head + c.dim;
  HostBuffer& q = p.tensor(TensorId::q) = HostBuffer(extent * element);
  std::memset(q.data(), poison_byte(c.q), q.size());
  const auto rows = static_cast<std::int64_t>(places.size());
#pragma omp parallel for schedule(static) if (q.size() > kParallelElements)
  for (std::int64_t r = 0; r < rows; ++r) {
    float values[kMaxDim];
    for (std::uint32_t h = 0; h < c.q_heads; ++h) {
      RowPlace at = places[r];
      at.head = h;
      m.source.q_row(at, values);
      encode_row(c.q, values, c.dim, 1.0f, q.data() + (r * row + h * head) * static_cast<std::int64_t>(element));
    }
  }
}

// k_new and v_new hold the real values that the cache would hold, in the format of q.
void fill_appended(const Making& m, const std::vector<RowPlace>& places, Problem& p) {
  const Case& c = m.c;
  const std::size_t element = bytes_of(c.q);
  HostBuffer& k = p.tensor(TensorId::k_new) = HostBuffer(places.size() * c.kv_heads * c.dim * element);
  HostBuffer& v = p.tensor(TensorId::v_new) = HostBuffer(places.size() * c.kv_heads * c.dim_v * element);
  const auto rows = static_cast<std::int64_t>(places.size());
#pragma omp parallel for schedule(static) if (k.size() > kParallelElements)
  for (std::int64_t r = 0; r < rows; ++r) {
    float values[kMaxDim];
    for (std::uint32_t g = 0; g < c.kv_heads; ++g) {
      RowPlace at = places[r];
      at.token += cached_tokens(c, at.request);
      at.head = g;
      const std::size_t index = static_cast<std::size_t>(r) * c.kv_heads + g;
      m.source.k_row(at, values);
      encode_row(c.q, values, c.dim, 1.0f, k.data() + index * c.dim * element);
      m.source.v_row(at, values);
      encode_row(c.q, values, c.dim_v, 1.0f, v.data() + index * c.dim_v * element);
    }
  }
}

// [q_heads * dim][kv_heads * dim][kv_heads * dim_v]
void fill_bias(const Case& c, Problem& p) {
  const std::uint32_t count = c.q_heads * c.dim + c.kv_heads * (c.dim + c.dim_v);
  HostBuffer& bias = p.tensor(TensorId::qkv_bias) = HostBuffer(count * sizeof(float));
  const float* normals = normal_table();
  for_each_random16(c.seed, Stream::bias, {}, count,
                    [&](std::uint32_t i, std::uint32_t r) { bias.as<float>()[i] = normals[r] * kBiasSize; });
}

}  // namespace

void fill_rows(const Making& m, Problem& p) {
  xqacheck_problem& d = p.description;
  d.q.dtype = abi_dtype(m.c.q);
  d.q_stride_row = m.shape.q_stride_row;
  d.q_stride_head = m.shape.q_stride_head;
  const std::vector<RowPlace> places = places_of_rows(m);
  fill_q(m, places, p);
  if (m.c.rope == RopeStyle::none) return;
  d.k_new.dtype = d.v_new.dtype = d.q.dtype;
  fill_appended(m, places, p);
  if (!m.c.bias) return;
  d.qkv_bias.dtype = XQACHECK_FP32;
  fill_bias(m.c, p);
}

}  // namespace xqacheck::reference
