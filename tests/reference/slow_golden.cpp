// The slow golden model on problems small enough to be worked out by hand.
#include "reference/slow_golden.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "reference/slow/numbers.hpp"
#include "reference/slow/request.hpp"
#include "reference/slow/rope.hpp"
#include "tests/catch.hpp"

namespace {

using namespace xqacheck::reference;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
xqacheck_tensor tensor(std::vector<T>& data, std::uint32_t dtype) {
  return {data.data(), data.size() * sizeof(T), dtype, XQACHECK_HOST, sizeof(T), 0};
}

// bf16 is the upper half of fp32: exact for the small integers used here.
std::uint16_t bf16(float x) {
  std::uint32_t bits;
  static_assert(sizeof bits == sizeof x);
  __builtin_memcpy(&bits, &x, sizeof bits);
  return static_cast<std::uint16_t>(bits >> 16);
}

// One request, one KV head, contiguous bf16 cache of `capacity` tokens, dim 16. q and k are zero except channel 0, so
// that score(t) = q0 * k0[t] / 4. V of token t holds v0[t] in channel 0 and 1 in channel 1.
struct Small {
  std::vector<std::uint32_t> lens{0}, mask, depths;
  std::vector<std::uint16_t> q, k, v;
  std::vector<float> sinks;
  std::uint32_t heads = 1, rows = 1;
  xqacheck_problem p{};

  Small(std::uint32_t length, std::vector<float> k0, std::vector<float> v0, float q0, std::uint32_t query_rows = 1)
      : rows(query_rows) {
    lens[0] = length;
    q.assign(16 * rows, 0);
    for (std::uint32_t i = 0; i < rows; ++i) q[16 * i] = bf16(q0);
    for (std::size_t t = 0; t < k0.size(); ++t) {
      k.resize(16 * (t + 1), 0);
      v.resize(16 * (t + 1), 0);
      k[16 * t] = bf16(k0[t]);
      v[16 * t] = bf16(v0[t]);
      v[16 * t + 1] = bf16(1);
    }
  }

  SlowGolden run() {
    p.struct_bytes = sizeof p;
    p.requests = 1, p.q_heads = 1, p.kv_heads = 1, p.head_dim = 16, p.head_dim_v = 16, p.beam_width = 1;
    p.max_seq_len = static_cast<std::uint32_t>(k.size() / 16), p.max_rows = rows, p.total_rows = rows;
    p.seq_lens = tensor(lens, XQACHECK_UINT32);
    p.q = tensor(q, XQACHECK_BF16), p.k = tensor(k, XQACHECK_BF16), p.v = tensor(v, XQACHECK_BF16);
    p.q_stride_row = 16, p.q_stride_head = 16;
    p.k_stride_page = p.v_stride_page = static_cast<std::int64_t>(k.size());
    p.k_stride_head = p.v_stride_head = 0, p.k_stride_token = p.v_stride_token = 16;
    p.q_scale.value = p.k_scale.value = p.v_scale.value = p.rcp_out_scale.value = 1;
    if (!mask.empty()) p.mask = tensor(mask, XQACHECK_UINT32), p.mask_words = 1;
    if (!depths.empty()) p.depths = tensor(depths, XQACHECK_UINT32);
    if (!sinks.empty()) p.sinks = tensor(sinks, XQACHECK_FP32);
    return slow_golden(p);
  }
};

TEST_CASE("number formats are read from their definition") {
  using slow::value_of_bits;
  CHECK(value_of_bits(XQACHECK_E4M3, 0x7e) == 448);
  CHECK(std::isnan(value_of_bits(XQACHECK_E4M3, 0x7f)));
  CHECK(value_of_bits(XQACHECK_E4M3, 0x01) == 0x1p-9L);
  CHECK(value_of_bits(XQACHECK_E4M3, 0xb8) == -1);
  CHECK(value_of_bits(XQACHECK_FP16, 0x3c01) == 1 + 0x1p-10L);
  CHECK(value_of_bits(XQACHECK_FP16, 0x0001) == 0x1p-24L);
  CHECK(value_of_bits(XQACHECK_FP16, 0xfc00) == -std::numeric_limits<long double>::infinity());
  CHECK(value_of_bits(XQACHECK_BF16, 0x4049) == 3.140625L);
  CHECK(value_of_bits(XQACHECK_INT8, 0x80) == -128);
  for (std::uint32_t bits = 0; bits < 0x10000; bits += 1) {  // bf16 against the machine's own fp32
    const std::uint32_t wide = bits << 16;
    float x;
    __builtin_memcpy(&x, &wide, sizeof x);
    const long double mine = value_of_bits(XQACHECK_BF16, bits);
    if (std::isnan(x) ? !std::isnan(mine) : mine != x) FAIL("bf16 pattern " << bits);
  }
}

TEST_CASE("rounding is to nearest, ties to even, and saturates where the format does") {
  using slow::round_to;
  CHECK(round_to(XQACHECK_E4M3, 17) == 16);  // tie between 16 and 18: 16 has the even significand
  CHECK(round_to(XQACHECK_E4M3, 19) == 20);  // tie between 18 and 20
  CHECK(round_to(XQACHECK_E4M3, 1e9L) == 448);
  CHECK(round_to(XQACHECK_E4M3, 0x1p-10L) == 0);
  CHECK(round_to(XQACHECK_FP16, 65520) == std::numeric_limits<long double>::infinity());
  CHECK(round_to(XQACHECK_FP16, 65519) == 65504);
  CHECK(round_to(XQACHECK_INT8, 2.5L) == 2);
  CHECK(round_to(XQACHECK_INT8, -1000) == -128);
  for (std::uint32_t dtype :
       {XQACHECK_FP16, XQACHECK_BF16}) {  // every value is its own nearest, neighbours meet halfway
    for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
      const long double x = slow::value_of_bits(dtype, bits), next = slow::value_of_bits(dtype, bits + 1);
      if (round_to(dtype, x) != x || round_to(dtype, (x + next) / 2) != (bits % 2 == 0 ? x : next))
        FAIL(dtype << " " << bits);
    }
  }
}

TEST_CASE("equal scores give the mean, and a sink takes its share") {
  Small s(2, {0, 0}, {1, 3}, 5);
  CHECK(static_cast<double>(s.run().out[0]) == Approx(2).epsilon(1e-15));
  CHECK(static_cast<double>(s.run().lse[0]) == Approx(std::log(2.0)).epsilon(1e-15));
  s.sinks = {std::log(2.0f)};  // as heavy as both tokens
  CHECK(static_cast<double>(s.run().out[0]) == Approx(1).epsilon(1e-6));
  CHECK(static_cast<double>(s.run().out[1]) == Approx(0.5).epsilon(1e-6));
}

TEST_CASE("weights follow the exponential of the scaled score") {
  Small s(2, {0, 4}, {0, 1}, 2);  // scores 0 and 4 * 2 / sqrt(16) = 2
  CHECK(static_cast<double>(s.run().out[0]) == Approx(1 / (1 + std::exp(-2.0))).epsilon(1e-15));
}

TEST_CASE("zero length, fully masked and all -inf rows are empty") {
  Small zero(0, {0}, {kNan}, kNan);
  CHECK(zero.run().out[0] == 0);
  CHECK(zero.run().lse[0] == -kInf);
  CHECK(zero.run().empty[0] == 1);
  zero.sinks = {3};
  CHECK(zero.run().out[0] == 0);
  CHECK(zero.run().lse[0] == 3);

  Small masked(1, {0}, {kNan}, 1);  // the only token is a draft, and no bit allows it
  masked.p.mask_kind = XQACHECK_MASK_TREE;
  masked.mask = {0};
  CHECK(masked.run().out[0] == 0);
  CHECK(masked.run().empty[0] == 1);
  CHECK(masked.run().special[0] == 0);

  Small minus(2, {-kInf, -kInf}, {1, kNan}, 1);
  minus.q[0] = bf16(1);
  for (std::size_t d = 1; d < 16; ++d) minus.q[d] = 0;
  CHECK(minus.run().out[0] == 0);
  CHECK(minus.run().lse[0] == -kInf);
  CHECK(minus.run().empty[0] == 1);
}

TEST_CASE("NaN and Inf propagate to the rows and channels that see them and to nothing else") {
  Small v_nan(2, {0, 0}, {kNan, 1}, 1);
  const SlowGolden g = v_nan.run();
  CHECK(std::isnan(g.out[0]));
  CHECK(g.out[1] == 1);
  CHECK(g.special[0] == 1);
  Small k_nan(2, {kNan, 0}, {1, 1}, 1);
  CHECK(std::isnan(k_nan.run().out[1]));
  CHECK(std::isnan(k_nan.run().lse[0]));
  Small unused(1, {0, kNan}, {7, kNan}, 1);
  CHECK(unused.run().out[0] == 7);
  CHECK(unused.run().special[0] == 0);
  Small v_inf(2, {0, 0}, {kInf, 1}, 1);
  CHECK(v_inf.run().out[0] == kInf);
  Small no_weight(2, {-kInf, 0}, {kInf, 1}, 1);  // weight 0 times Inf
  CHECK(std::isnan(no_weight.run().out[0]));
  CHECK(no_weight.run().out[1] == 1);
  Small plus_inf(2, {kInf, 0}, {1, 1}, 1);
  CHECK(std::isnan(plus_inf.run().out[1]));
  Small sink(1, {0}, {1}, 1);
  sink.sinks = {kInf};
  CHECK(sink.run().out[0] == 0);
  CHECK(sink.run().lse[0] == kInf);
  sink.sinks = {-kInf};
  CHECK(sink.run().out[0] == 1);
  sink.sinks = {kNan};
  CHECK(std::isnan(sink.run().out[0]));
}

TEST_CASE("windows move with the draft row, masks choose drafts") {
  // 5 tokens, the last 3 of them drafts; V names the token by a power of ten and scores are equal, so sum = count *
  // out.
  Small s(5, {0, 0, 0, 0, 0}, {1, 16, 32, 64, 128}, 1, 3);
  s.p.mask_kind = XQACHECK_MASK_CAUSAL;
  s.p.window = 2;  // row i keeps tokens t >= 5 - 3 + 1 + i - 2 = 1 + i
  SlowGolden g = s.run();
  CHECK(static_cast<double>(g.out[0]) == Approx((16 + 32) / 2.0));
  CHECK(static_cast<double>(g.out[16]) == Approx((32 + 64) / 2.0));
  CHECK(static_cast<double>(g.out[32]) == Approx((64 + 128) / 2.0));
  s.p.window = 0;
  s.p.mask_kind = XQACHECK_MASK_TREE;
  s.mask = {1, 3, 5};  // row 2 sees drafts 0 and 2
  g = s.run();
  CHECK(static_cast<double>(g.out[0]) == Approx((1 + 16 + 32) / 3.0));
  CHECK(static_cast<double>(g.out[32]) == Approx((1 + 16 + 32 + 128) / 4.0));
  s.p.window = 2;
  s.depths = {0, 1, 1};  // row 2 hangs below row 0: window as for depth 1
  g = s.run();
  CHECK(static_cast<double>(g.out[32]) == Approx((32 + 128) / 2.0));
}

TEST_CASE("rotation of both styles by a quarter turn, channels beyond rotary_dim untouched") {
  xqacheck_problem p{};
  std::vector<float> table(2 * 16, 0);
  for (int j = 0; j < 8; ++j) table[16 + 2 * j + 1] = 1;  // position 1: cos 0, sin 1
  p.rotary_dim = 16;
  p.rope_table = tensor(table, XQACHECK_FP32);
  slow::Vector x(32);
  for (int d = 0; d < 32; ++d) x[d] = d + 1;
  p.rope_kind = XQACHECK_ROPE_NEOX;
  const slow::Vector neox = slow::rotated(p, x, 1);
  CHECK(neox[0] == -9);
  CHECK(neox[8] == 1);
  CHECK(neox[16] == 17);
  p.rope_kind = XQACHECK_ROPE_GPTJ;
  const slow::Vector gptj = slow::rotated(p, x, 1);
  CHECK(gptj[0] == -2);
  CHECK(gptj[1] == 1);
  CHECK(gptj[31] == 32);
}

TEST_CASE("a read outside a tensor is an error that names it") {
  Small s(2, {0}, {1}, 1);  // the cache holds one token
  CHECK_THROWS_WITH(s.run(), Catch::Contains("k: element 16 is outside"));
}

}  // namespace
