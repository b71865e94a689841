// A small decode problem filled by hand, for tests that know the answer in closed form: fp32 values are written into
// bf16, fp16, int8 or e4m3 tensors exactly (the tests choose representable ones), one KV pool a tensor, NHD.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/golden/element.hpp"

namespace xqacheck::tests {

inline std::uint32_t encode(std::uint32_t dtype, double x) {
  const auto f = static_cast<float>(x);
  std::uint32_t bits;
  std::memcpy(&bits, &f, 4);
  switch (dtype) {
    case XQACHECK_BF16:
      return bits >> 16;
    case XQACHECK_INT8:
      return static_cast<std::uint8_t>(static_cast<std::int8_t>(x));
    default:
      break;
  }
  // fp16 and e4m3: the pattern whose value is x (the tests only use representable values and NaN/Inf).
  const std::uint32_t patterns = dtype == XQACHECK_FP16 ? 65536 : 256;
  for (std::uint32_t b = 0; b < patterns; ++b) {
    const double value = dtype == XQACHECK_FP16 ? reference::from_fp16(static_cast<std::uint16_t>(b))
                                                : reference::from_e4m3(static_cast<std::uint8_t>(b));
    if (value == x || (std::isnan(value) && std::isnan(x))) return b;
  }
  return 0;
}

class HandProblem {
 public:
  std::uint32_t dtype = XQACHECK_BF16, kv_dtype = XQACHECK_BF16;
  std::uint32_t kv_heads = 1, group = 2, dim = 16, rows = 1;
  std::vector<std::uint32_t> lens{5};
  std::uint32_t capacity = 8, page = 0;
  std::vector<float> sinks;
  std::vector<std::uint32_t> mask;  // [R][1], MASK_TREE when not empty
  // Value of q(row, head, channel), k and v (request, kv head, token, channel).
  std::function<double(std::uint32_t, std::uint32_t, std::uint32_t)> q = [](auto, auto, auto) { return 0.0; };
  std::function<double(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t)> k = [](auto, auto, auto, auto) {
    return 0.0;
  };
  std::function<double(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t)> v = k;

  // Builds the tensors; `edit` fields of the returned view afterwards as needed. The view points into this object.
  xqacheck_problem make() {
    table_.clear();
    q_bytes_.clear();
    xqacheck_problem p{};
    p.struct_bytes = sizeof p;
    p.requests = static_cast<std::uint32_t>(lens.size());
    p.kv_heads = kv_heads;
    p.q_heads = kv_heads * group;
    p.head_dim = p.head_dim_v = dim;
    p.beam_width = 1;
    p.max_seq_len = capacity;
    p.max_rows = rows;
    p.total_rows = rows * p.requests;
    p.page_tokens = page;
    const std::uint32_t slots = page == 0 ? capacity : page;
    const std::uint32_t blocks = page == 0 ? 1 : (capacity + page - 1) / page;
    p.table_columns = blocks;
    p.pages_in_pool = page == 0 ? 0 : blocks * p.requests;
    for (std::uint32_t i = 0; i < blocks * p.requests; ++i) {
      table_.push_back(static_cast<std::int32_t>(blocks * p.requests - 1 - i));  // reversed
    }
    if (page != 0) p.page_table = tensor(table_, XQACHECK_INT32);
    p.table_stride_request = p.table_stride_beam = blocks;
    p.seq_lens = tensor(lens, XQACHECK_UINT32);
    for (std::uint32_t r = 0; r < p.total_rows; ++r) {
      for (std::uint32_t h = 0; h < p.q_heads; ++h) {
        for (std::uint32_t d = 0; d < dim; ++d) put(q_bytes_, dtype, q(r, h, d));
      }
    }
    const std::size_t size = reference::bytes_of(kv_dtype);
    k_bytes_.assign(std::size_t{blocks} * p.requests * slots * kv_heads * dim * size, std::byte{0});
    v_bytes_ = k_bytes_;
    for (std::uint32_t b = 0; b < p.requests; ++b) {
      for (std::uint32_t t = 0; t < lens[b]; ++t) {
        const std::size_t place = page == 0 ? b : static_cast<std::size_t>(table_[b * blocks + t / page]);
        for (std::uint32_t g = 0; g < kv_heads; ++g) {
          for (std::uint32_t d = 0; d < dim; ++d) {
            const std::size_t at = (((place * slots + t % slots) * kv_heads + g) * dim + d) * size;
            const std::uint32_t kb = encode(kv_dtype, k(b, g, t, d)), vb = encode(kv_dtype, v(b, g, t, d));
            std::memcpy(k_bytes_.data() + at, &kb, size);
            std::memcpy(v_bytes_.data() + at, &vb, size);
          }
        }
      }
    }
    p.q = tensor(q_bytes_, dtype);
    p.k = tensor(k_bytes_, kv_dtype);
    p.v = tensor(v_bytes_, kv_dtype);
    p.q_stride_head = dim;
    p.q_stride_row = std::int64_t{dim} * p.q_heads;
    p.k_stride_head = p.v_stride_head = dim;
    p.k_stride_token = p.v_stride_token = std::int64_t{dim} * kv_heads;
    p.k_stride_page = p.v_stride_page = p.k_stride_token * slots;
    p.q_scale = p.k_scale = p.v_scale = p.rcp_out_scale = {1.0f, 0, nullptr};
    if (!sinks.empty()) p.sinks = tensor(sinks, XQACHECK_FP32);
    if (!mask.empty()) {
      p.mask_kind = XQACHECK_MASK_TREE;
      p.mask_words = 1;
      p.mask = tensor(mask, XQACHECK_UINT32);
    }
    out_bytes_.assign(std::size_t{p.total_rows} * p.q_heads * dim * reference::bytes_of(dtype), std::byte{0});
    p.out = tensor(out_bytes_, dtype);
    p.out_stride_head = dim;
    p.out_stride_row = p.q_stride_row;
    p.lse_base = 2.718281828f;
    return p;
  }

 private:
  template <class T>
  static xqacheck_tensor tensor(std::vector<T>& data, std::uint32_t dtype) {
    return {data.data(), data.size() * sizeof(T), dtype, XQACHECK_HOST, 16, 0};  // operator new aligns to 16
  }
  static void put(std::vector<std::byte>& bytes, std::uint32_t dtype, double x) {
    const std::uint32_t bits = encode(dtype, x);
    const std::size_t at = bytes.size(), size = reference::bytes_of(dtype);
    bytes.resize(at + size);
    std::memcpy(bytes.data() + at, &bits, size);
  }

  std::vector<std::int32_t> table_;
  std::vector<std::byte> q_bytes_, k_bytes_, v_bytes_, out_bytes_;
};

}  // namespace xqacheck::tests
