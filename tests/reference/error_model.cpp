// Assumptions of the error model, one by one (doc/error-bounds.md, A1 to A8): each of these fails when the term it is
// about is taken out of the bound, or when the term is too generous to say anything.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "kernels/noisy/noisy.h"
#include "reference/case_line.hpp"
#include "reference/golden/element.hpp"
#include "reference/judge.hpp"
#include "reference/problem.hpp"
#include "tests/catch.hpp"
#include "tests/reference/hand_problem.hpp"
#include "tests/reference/run_host_kernel.hpp"

namespace reference = xqacheck::reference;
using xqacheck::tests::HandProblem;

namespace {

const xqacheck_kernel& kernel(const std::string& name) {
  for (std::uint32_t i = 0; const xqacheck_kernel* k = xqacheck_noisy_kernel(i); ++i) {
    if (name == k->describe()->name) return *k;
  }
  throw std::runtime_error("no kernel " + name);
}

struct Run {
  reference::Golden golden;
  reference::Judgement judgement;
  double error = 0;  // of the first element, got - want
};

Run run(const std::string& name, const xqacheck_problem& p) {
  const xqacheck_kernel& k = kernel(name);
  std::string why;
  REQUIRE(xqacheck::tests::run_on_view(k, p, why));
  Run r;
  r.golden = reference::golden(p, &k.describe()->numerics);
  r.judgement = reference::judge(p, r.golden, &k.describe()->numerics, static_cast<const std::byte*>(p.out.data),
                                 p.out.bytes, nullptr, 0);
  r.error = reference::element(p.out.data, p.out.dtype) - r.golden.out[0];
  return r;
}

}  // namespace

TEST_CASE("A1: sigma of P rounding is what a kernel shows, within a factor of two") {
  // fp16 output of e4m3 weights: its rounding is 100 times below theirs.
  double squares = 0, count = 0;
  for (int seed = 0; seed < 12; ++seed) {
    const reference::Problem problem = reference::make_problem(
        reference::parse_case("xqa/1 heads=8/1 dim=64 len=700 q=fp16 kv=fp16 seed=" + std::to_string(seed)));
    const xqacheck_kernel& k = kernel("noisy-e4m3p");
    const auto ran = xqacheck::tests::run_host_kernel(k, problem, 1);
    const xqacheck_problem p = problem.view(nullptr, nullptr);
    const reference::Golden g = reference::golden(p, &k.describe()->numerics);
    for (std::size_t i = 0; i < g.out.size(); ++i) {
      const double z = (reference::element(ran.out.data() + 2 * i, XQACHECK_FP16) - g.out[i]) / g.sigma[i];
      squares += z * z;
      ++count;
    }
  }
  const double ratio = std::sqrt(squares / count);
  CAPTURE(ratio);
  CHECK(ratio < 1);
  CHECK(ratio > 0.5);
}

TEST_CASE("A3: equal weights round equally, and the bias covers it") {
  // Every fourth token scores 0, the others -1.2: their weight 0.3012 * 448 = 134.9 rounds to 128 in e4m3 (spacing 16).
  HandProblem h;
  h.dtype = h.kv_dtype = XQACHECK_FP16;
  h.group = 1;
  h.lens = {4096};
  h.capacity = 4096;
  h.q = [](auto, auto, auto d) { return d == 0 ? 4.0 : 0.0; };
  h.k = [](auto, auto, auto t, auto d) { return d == 0 && t % 4 != 0 ? -1.2001953125 : 0.0; };
  h.v = [](auto, auto, auto, auto) { return 1.0; };
  const Run r = run("noisy-e4m3p", h.make());
  // The row sum adds unrounded weights, so 5 % of 47 % of the weight is missing.
  CHECK(r.error == Approx(-(0.3011 - 128 / 448.0) * 3 / (1 + 3 * 0.3011)).epsilon(0.02));
  CHECK(std::fabs(r.error) > 1.5 * r.judgement.z_limit * r.golden.sigma[0]);
  CHECK(r.judgement.passed());
  // The same tokens with rounded weights in the row sum: no error, and no bias needed for it.
  const Run rounded = run("noisy-bf16p", h.make());
  CHECK(std::fabs(rounded.error) < 1e-3);
  CHECK(rounded.golden.bias[0] < 0.03);
  CHECK(rounded.judgement.passed());
}

TEST_CASE("A2: copies of a token round alike, and sigma grows with their number") {
  // 32 different tokens, 16 times each, against 512 different tokens.
  const auto sigma_of = [](std::uint32_t copies, double& error2) {
    HandProblem h;
    h.dtype = h.kv_dtype = XQACHECK_FP16;
    h.group = 8;
    h.lens = {512};
    h.capacity = 512;
    h.q = [](auto, auto head, auto d) { return 0.25 * ((3 * head + 5 * d) % 9) - 1; };
    const auto token = [copies](std::uint32_t t) { return t / copies * 2654435761u; };
    h.k = [token](auto, auto, auto t, auto d) { return 0.0625 * ((token(t) >> d) % 61) - 1.875; };
    h.v = [token](auto, auto, auto t, auto d) { return 0.0625 * ((token(t) >> (d + 3)) % 59) - 1.8125; };
    const xqacheck_problem p = h.make();
    const Run r = run("noisy-e4m3p", p);
    CHECK(r.judgement.passed());
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < r.golden.sigma.size(); ++i) {
      sum += r.golden.sigma[i] * r.golden.sigma[i];
      const double e =
          reference::element(static_cast<const std::byte*>(p.out.data) + 2 * i, XQACHECK_FP16) - r.golden.out[i];
      squares += e * e;
    }
    error2 = squares;
    return std::sqrt(sum);
  };
  double one_error = 0, copies_error = 0;
  const double one = sigma_of(1, one_error), copies = sigma_of(16, copies_error);
  CHECK(copies > 3 * one);
  CHECK(copies_error > 3 * one_error);  // and so does the error
}

TEST_CASE("A5: constant V under truncation shrinks the output, and the bias covers it") {
  HandProblem h;
  h.dtype = XQACHECK_BF16;
  h.kv_dtype = XQACHECK_E4M3;
  h.group = 1;
  h.lens = {4096};
  h.capacity = 4096;
  // All weights are 1 and exact in e4m3 (448): what is lost is lost in the accumulator, whose grid reaches 128.
  h.v = [](auto, auto, auto, auto) { return 1.0; };
  xqacheck_problem p = h.make();
  p.forced_splits = 1;
  const Run r = run("noisy-qgmma", p);
  CAPTURE(r.error, r.golden.sigma[0], r.golden.bias[0], r.golden.worst[0]);
  CHECK(r.error < -0.02);
  CHECK(r.judgement.passed());
  // Not explained without the terms of truncation.
  xqacheck_numerics plain = kernel("noisy-qgmma").describe()->numerics;
  plain.accumulator_truncates = 2;
  plain.accumulator_bits = 24;
  plain.p_format = XQACHECK_FP32;  // exact here anyway
  const reference::Golden without = reference::golden(p, &plain);
  CHECK(std::fabs(r.error) > without.bias[0] + r.judgement.z_limit * without.sigma[0]);
}

TEST_CASE("A8: skip-softmax admits exactly the tiles below the threshold") {
  // Two tiles: scores `low` with V = 1, scores 0 with V = 0. Skipping the first gives 0. S = 128, factor 4: ln(4 / 128)
  // = -3.47.
  for (double low : {-3.25, -3.75}) {
    HandProblem h;
    h.dtype = h.kv_dtype = XQACHECK_FP16;
    h.group = 1;
    h.lens = {128};
    h.capacity = 128;
    h.q = [](auto, auto, auto d) { return d == 0 ? 4.0 : 0.0; };
    h.k = [low](auto, auto, auto t, auto d) { return d == 0 && t < 64 ? low : 0.0; };
    h.v = [](auto, auto, auto t, auto) { return t < 64 ? 1.0 : 0.0; };
    xqacheck_problem p = h.make();
    p.skip_softmax_factor = 4;
    const xqacheck_numerics& numerics = kernel("noisy-fp16p").describe()->numerics;
    const Run whole = run("noisy-fp16p", p);
    CHECK(whole.golden.out[0] == Approx(std::exp(low) / (1 + std::exp(low))).epsilon(1e-12));
    CHECK(whole.judgement.passed());
    std::memset(p.out.data, 0, p.out.bytes);  // what a kernel writes that skips the tile
    const auto skipped = reference::judge(p, whole.golden, &numerics, static_cast<const std::byte*>(p.out.data),
                                          p.out.bytes, nullptr, 0);
    CHECK(skipped.passed() == (low < std::log(4 / 128.0)));
    // A factor above the length switches it off.
    p.skip_softmax_factor = 200;
    const reference::Golden off = reference::golden(p, &numerics);
    CHECK(off.worst[0] < 0.01);
  }
}

TEST_CASE("Nothing is promised beyond fp32") {
  HandProblem h;
  h.group = 1;
  h.q = [](auto, auto, auto) { return 0x1p70; };
  h.k = [](auto, auto, auto t, auto) { return t == 0 ? 0x1p60 : 0.0; };
  h.v = [](auto, auto, auto, auto) { return 1.0; };
  const reference::Golden g = reference::golden(h.make(), nullptr);
  CHECK(g.out[0] == Approx(1));
  CHECK(std::isinf(g.worst[0]));
  // fp16 partials of values near its largest may overflow; fp32 partials do not.
  HandProblem big;
  big.dtype = big.kv_dtype = XQACHECK_FP16;
  big.group = 1;
  big.v = [](auto, auto, auto, auto) { return 60000.0; };
  CHECK(std::isinf(reference::golden(big.make(), nullptr).worst[0]));
  xqacheck_numerics fp32{};
  fp32.partial_format = XQACHECK_FP32;
  CHECK(std::isfinite(reference::golden(big.make(), &fp32).worst[0]));
}

TEST_CASE("A sharper declaration gives a smaller bound") {
  const reference::Problem problem =
      reference::make_problem(reference::parse_case("xqa/1 heads=8/1 dim=64 len=700 q=bf16 kv=e4m3 seed=3"));
  const xqacheck_problem p = problem.view(nullptr, nullptr);
  double last = 1e9;
  for (const char* name : {"noisy-qgmma", "noisy-e4m3p", "noisy-hmma", "noisy-bf16p", "noisy-fp16p"}) {
    xqacheck_numerics n = kernel(name).describe()->numerics;
    n.q_format = XQACHECK_NONE;
    const reference::Golden g = reference::golden(p, &n);
    double sum = 0;
    for (double s : g.sigma) sum += s;
    INFO(name);
    CHECK(sum < last);
    last = sum;
  }
}
