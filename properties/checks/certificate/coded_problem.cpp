#include "properties/checks/certificate/coded_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "properties/output.hpp"
#include "reference/formats.hpp"

namespace xqacheck::properties::certificate {
namespace {

using reference::Dtype;
using reference::HostBuffer;
using reference::Problem;
using reference::TensorId;

// Stored size of a sign, a power of two: large enough that one sign among 2^17 tokens is a normal fp16 number, small
// enough that a single token is finite in fp16, and inside of each 8-bit format.
double magnitude(std::uint32_t dtype) {
  return dtype == XQACHECK_INT8 ? 64 : 256;
}

Dtype dtype_of(std::uint32_t abi) {
  return abi == XQACHECK_FP16   ? Dtype::fp16
         : abi == XQACHECK_BF16 ? Dtype::bf16
         : abi == XQACHECK_INT8 ? Dtype::int8
                                : Dtype::e4m3;
}

// The bits of -value, 0 and +value.
class Signs {
 public:
  Signs(std::uint32_t dtype, double value) : size_(bytes_of(dtype)) {
    for (int sign = -1; sign <= 1; ++sign) bits_[sign + 1] = reference::encode(dtype_of(dtype), sign * value);
  }
  void put(HostBuffer& to, std::int64_t element, int sign) const {
    std::memcpy(to.data() + static_cast<std::size_t>(element) * size_, &bits_[sign + 1], size_);
  }

 private:
  std::size_t size_;
  std::uint16_t bits_[3];
};

// Signs that follow no pattern of strides, for q and K where the other of the two is zero.
int scattered(std::int64_t element) {
  return ((static_cast<std::uint64_t>(element) * 0x9E3779B97F4A7C15u) >> 40 & 1) != 0 ? 1 : -1;
}

class Coder {
 public:
  Coder(Problem& problem, const Code& code, std::uint32_t run)
      : problem_(problem),
        p_(problem.view(nullptr, nullptr)),
        code_(code),
        run_(run),
        k_zero_(run % 2 == 1 && p_.kv_aliased == 0) {}

  void cache() {
    const bool one_pool = problem_.tensor(TensorId::v).empty();
    HostBuffer& k = problem_.tensor(TensorId::k);
    HostBuffer& v = one_pool ? k : problem_.tensor(TensorId::v);
    const Slots& slots = code_.slots();
    const Signs k_signs(p_.k.dtype, 1), v_signs(p_.v.dtype, magnitude(p_.v.dtype));
    for (std::uint64_t page = 0; page < slots.pages(); ++page)
      for (std::uint32_t g = 0; g < p_.kv_heads; ++g) {
        if (p_.kv_aliased != 0 || !one_pool || slots.holds_k(page)) k_page(k, k_signs, page, g);
        if (!slots.holds_k(page)) v_page(v, v_signs, page, g);
      }
  }

  void query() {
    const Signs signs(p_.q.dtype, 1);
    HostBuffer& q = problem_.tensor(TensorId::q);
    for (std::uint32_t row = 0; row < p_.total_rows; ++row)
      for (std::uint32_t h = 0; h < p_.q_heads; ++h)
        for (std::uint32_t d = 0; d < p_.head_dim; ++d) {
          const std::int64_t element = row * p_.q_stride_row + h * p_.q_stride_head + d;
          signs.put(q, element, k_zero_ ? scattered(element) : 0);
        }
  }

  // What fused RoPE appends: zero or signs for K, the code of its slot for V. A bias would spoil both.
  void appended(const reference::Sight& sight) {
    HostBuffer& k_new = problem_.tensor(TensorId::k_new);
    HostBuffer& v_new = problem_.tensor(TensorId::v_new);
    if (k_new.empty()) return;
    const Signs k_signs(p_.q.dtype, 1);
    for (std::size_t i = 0; i < k_new.size() / bytes_of(p_.q.dtype); ++i)
      k_signs.put(k_new, static_cast<std::int64_t>(i), k_zero_ ? 0 : scattered(static_cast<std::int64_t>(i)));
    const Signs v_signs(p_.q.dtype, magnitude(p_.v.dtype) * p_.v_scale.value);
    const reference::KvView view(p_);
    const Slots& slots = code_.slots();
    for (const reference::Sequence& s : sight.sequences()) {
      for (std::uint32_t i = 0; i < s.rows && s.length > 0; ++i) {
        const auto token = static_cast<std::uint32_t>(s.drafts_begin()) + i;
        const std::uint32_t in_page = token % slots.page_tokens();
        const std::uint64_t block = slots.block(view.page(true, s.request, s.beam, token), in_page);
        for (std::uint32_t g = 0; g < p_.kv_heads; ++g)
          for (std::uint32_t d = 0; d < p_.head_dim_v; ++d)
            v_signs.put(v_new, static_cast<std::int64_t>(((s.first_row + i) * p_.kv_heads + g) * p_.head_dim_v + d),
                        code_.signs(block, g, run_, d).at(slots.in_block(in_page)));
      }
    }
    HostBuffer& bias = problem_.tensor(TensorId::qkv_bias);
    if (!bias.empty()) std::memset(bias.data(), 0, bias.size());
  }

 private:
  void k_page(HostBuffer& k, const Signs& signs, std::uint64_t page, std::uint32_t head) {
    for (std::uint32_t t = 0; t < code_.slots().page_tokens(); ++t) {
      const std::int64_t first =
          static_cast<std::int64_t>(page) * p_.k_stride_page + head * p_.k_stride_head + t * p_.k_stride_token;
      for (std::uint32_t d = 0; d < p_.head_dim; ++d) signs.put(k, first + d, k_zero_ ? 0 : scattered(first + d));
    }
  }

  void v_page(HostBuffer& v, const Signs& signs, std::uint64_t page, std::uint32_t head) {
    const Slots& slots = code_.slots();
    for (std::uint32_t t = 0; t < slots.page_tokens(); t += slots.block_tokens()) {
      const std::uint64_t block = slots.block(page, t);
      const std::uint32_t count = std::min(slots.block_tokens(), slots.page_tokens() - t);
      for (std::uint32_t d = 0; d < p_.head_dim_v; ++d) {
        const BlockSigns code = code_.signs(block, head, run_, d);
        for (std::uint32_t i = 0; i < count; ++i)
          signs.put(v,
                    static_cast<std::int64_t>(page) * p_.v_stride_page + head * p_.v_stride_head +
                        (t + i) * p_.v_stride_token + d,
                    code.at(i));
      }
    }
  }

  Problem& problem_;
  xqacheck_problem p_;
  const Code& code_;
  std::uint32_t run_;
  bool k_zero_;
};

void set_sinks(Problem& problem, std::uint32_t most) {
  HostBuffer& sinks = problem.tensor(TensorId::sinks);
  if (sinks.empty()) return;
  for (std::uint32_t h = 0; h < problem.description.q_heads; ++h)
    sinks.as<float>()[h] =
        static_cast<float>(std::log(static_cast<double>(most)) + (static_cast<double>(h % 7) - 1) * std::log(2.0));
}

// e4m3 output: the scale that puts one sign of the row with the largest denominator, which is at most 1 + 2^5 times
// `most`, into the first octave of normal numbers, [2^-6, 2^-5).
void set_output_scale(Problem& problem, double value, std::uint32_t most) {
  if (problem.description.out.dtype != XQACHECK_E4M3) return;
  const double largest = problem.tensor(TensorId::sinks).empty() ? most : 33.0 * most;
  const int exponent = std::ilogb(value / largest);
  const auto scale = static_cast<float>(std::ldexp(1.0, -6 - exponent));
  problem.description.rcp_out_scale.value = scale;
  *problem.tensor(TensorId::rcp_out_scale).as<float>() = scale;
}

}  // namespace

double sink_weight(float sink) {
  return std::exp(static_cast<double>(sink));
}

CodedRun coded_run(const Problem& problem, const Code& code, std::uint32_t run, std::uint32_t most) {
  CodedRun coded{problem.clone()};
  const xqacheck_problem p = problem.view(nullptr, nullptr);
  const double value = magnitude(p.v.dtype) * p.v_scale.value;
  set_sinks(coded.problem, std::max(most, 1u));
  set_output_scale(coded.problem, value, std::max(most, 1u));
  Coder coder(coded.problem, code, run);
  coder.cache();
  coder.query();
  coder.appended(reference::Sight(p));
  coded.sign = value * coded.problem.description.rcp_out_scale.value;
  return coded;
}

}  // namespace xqacheck::properties::certificate
