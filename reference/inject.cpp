#include <cstring>
#include <limits>

#include "reference/fill.hpp"
#include "reference/formats.hpp"
#include "reference/gather.hpp"

namespace xqacheck::reference {
namespace {

double value_of(Injection::Value value, Dtype dtype) {
  switch (value) {
    case Injection::Value::nan:
      return std::numeric_limits<double>::quiet_NaN();
    case Injection::Value::inf:
      return std::numeric_limits<double>::infinity();
    case Injection::Value::minf:
      return -std::numeric_limits<double>::infinity();
    case Injection::Value::huge:
      break;
  }
  return largest(dtype);
}

void put(HostBuffer& buffer, Dtype dtype, std::uint64_t element, Injection::Value value) {
  const std::uint16_t bits = encode(dtype, value_of(value, dtype));
  std::memcpy(buffer.data() + element * bytes_of(dtype), &bits, bytes_of(dtype));
}

void inject_q(const Making& m, const Injection& injection, Problem& p) {
  const std::uint32_t row = m.shape.first_row[injection.request] + injection.token;
  for (std::uint32_t h = 0; h < m.c.q_heads; ++h) {
    put(p.tensor(TensorId::q), m.c.q, row * m.shape.q_stride_row + h * m.shape.q_stride_head, injection.value);
  }
}

// A token that fused RoPE appends is not in the cache yet: its value goes where the kernel takes it from.
void inject_appended(const Making& m, const Injection& injection, Problem& p) {
  const Case& c = m.c;
  const bool is_v = injection.tensor == Injection::Tensor::v;
  const std::uint32_t draft = injection.token - cached_tokens(c, injection.request);
  for (std::uint32_t w = 0; w < c.beam; ++w) {
    const std::uint64_t row =
        m.shape.first_row[injection.request] + std::uint64_t{w} * c.rows(injection.request) + draft;
    for (std::uint32_t g = 0; g < c.kv_heads; ++g) {
      put(p.tensor(is_v ? TensorId::v_new : TensorId::k_new), c.q, (row * c.kv_heads + g) * (is_v ? c.dim_v : c.dim),
          injection.value);
    }
  }
}

void inject_cache(const Making& m, const Injection& injection, Problem& p) {
  const xqacheck_problem view = p.view(nullptr, nullptr);
  const KvView kv(view);
  const bool is_v = injection.tensor == Injection::Tensor::v;
  HostBuffer& pool = p.tensor(is_v && !p.tensor(TensorId::v).empty() ? TensorId::v : TensorId::k);
  for (std::uint32_t w = 0; w < m.c.beam; ++w) {
    for (std::uint32_t g = 0; g < m.c.kv_heads; ++g) {
      const std::uint64_t element = is_v ? kv.v_row(injection.request, w, injection.token, g)
                                         : kv.k_row(injection.request, w, injection.token, g);
      put(pool, m.c.kv, element, injection.value);
    }
  }
}

}  // namespace

void apply_injections(const Making& m, Problem& p) {
  for (const Injection& injection : m.c.inject) {
    if (injection.tensor == Injection::Tensor::q) {
      inject_q(m, injection, p);
    } else if (injection.token >= cached_tokens(m.c, injection.request)) {
      inject_appended(m, injection, p);
    } else {
      inject_cache(m, injection, p);
    }
  }
}

}  // namespace xqacheck::reference
