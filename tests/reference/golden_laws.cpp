// The golden model where the answer is known in closed form, and its policies (doc/golden.md G15 to G20).
#include <cmath>
#include <limits>

#include "hwy/targets.h"
#include "reference/golden.hpp"
#include "tests/catch.hpp"
#include "tests/reference/hand_problem.hpp"

using xqacheck::reference::Golden;
using xqacheck::reference::golden;
using xqacheck::tests::HandProblem;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// fp64 arithmetic on a handful of tokens: a few roundings of 2^-53 each.
constexpr double kTight = 1e-14;

double at(const Golden& g, std::uint32_t row, std::uint32_t head, std::uint32_t d) {
  return g.out[(std::size_t{row} * g.heads + head) * g.dim_v + d];
}

HandProblem varied() {
  HandProblem h;
  h.q = [](auto r, auto head, auto d) { return 0.25 * ((r + 3 * head + 5 * d) % 7) - 0.5; };
  h.k = [](auto b, auto g, auto t, auto d) { return 0.5 * ((b + 2 * g + 3 * t + d * t) % 5) - 1; };
  h.v = [](auto b, auto g, auto t, auto d) { return 0.25 * ((3 * b + g + 7 * t + d) % 9) - 1; };
  return h;
}

}  // namespace

TEST_CASE("q = 0 gives the mean of the visible V") {
  HandProblem h = varied();
  h.q = [](auto, auto, auto) { return 0.0; };
  h.lens = {5, 1, 8};
  const Golden g = golden(h.make(), nullptr);
  for (std::uint32_t b = 0; b < 3; ++b) {
    for (std::uint32_t d = 0; d < 16; ++d) {
      double mean = 0;
      for (std::uint32_t t = 0; t < h.lens[b]; ++t) mean += h.v(b, 0, t, d) / h.lens[b];
      CHECK(at(g, b, 1, d) == Approx(mean).margin(kTight));
    }
    CHECK(g.lse[b * 2] == Approx(std::log(h.lens[b])).margin(kTight));
  }
}

TEST_CASE("V = 1 gives 1, and with a sink the share of the tokens") {
  HandProblem h = varied();
  h.v = [](auto, auto, auto, auto) { return 1.0; };
  const Golden plain = golden(h.make(), nullptr);
  for (double x : plain.out) CHECK(x == Approx(1).margin(kTight));
  HandProblem s = h;
  s.sinks = {0.5f, -2.0f};
  const Golden sunk = golden(s.make(), nullptr);
  for (std::uint32_t head = 0; head < 2; ++head) {
    const double tokens = std::exp(plain.lse[head]), sink = std::exp(double{s.sinks[head]});
    CHECK(at(sunk, 0, head, 3) == Approx(tokens / (tokens + sink)).margin(kTight));
    CHECK(sunk.lse[head] == Approx(std::log(tokens + sink)).margin(kTight));
  }
}

TEST_CASE("A sink is one more token with zero V") {
  HandProblem h = varied();
  h.lens = {6};
  // The extra token's key makes its score 0.75 * 4 / sqrt(16) = 0.75 for a q of ones in channel 0.
  h.q = [](auto, auto, auto d) { return d == 0 ? 4.0 : 0.0; };
  h.k = [](auto, auto, auto t, auto d) { return d != 0 ? 0.0 : t == 5 ? 0.75 : 0.25 * t; };
  h.v = [](auto, auto, auto t, auto d) { return t == 5 ? 0.0 : 0.5 * t - 0.25 * (d % 3); };
  const Golden longer = golden(h.make(), nullptr);
  HandProblem s = h;
  s.lens = {5};
  s.sinks = {0.75f, 0.75f};
  const Golden sunk = golden(s.make(), nullptr);
  for (std::size_t i = 0; i < sunk.out.size(); ++i) CHECK(sunk.out[i] == Approx(longer.out[i]).margin(kTight));
  CHECK(sunk.lse[0] == Approx(longer.lse[0]).margin(kTight));
}

TEST_CASE("One dominant key gives its V") {
  HandProblem h = varied();
  h.q = [](auto, auto, auto) { return 16.0; };
  h.k = [](auto, auto, auto t, auto) { return t == 3 ? 16.0 : -16.0; };  // scores +-1024
  const Golden g = golden(h.make(), nullptr);
  for (std::uint32_t d = 0; d < 16; ++d) CHECK(at(g, 0, 0, d) == h.v(0, 0, 3, d));
  CHECK(g.lse[0] == 1024.0);
}

TEST_CASE("Two tokens give the logistic function; every scale where it belongs; pages and contiguous agree") {
  for (std::uint32_t page : {0u, 2u}) {
    HandProblem h;
    h.page = page;
    h.kv_dtype = XQACHECK_E4M3;
    h.lens = {2};
    h.q = [](auto, auto, auto d) { return d == 0 ? 2.0 : 0.0; };
    h.k = [](auto, auto, auto t, auto d) { return d == 0 && t == 1 ? 3.0 : 0.0; };
    h.v = [](auto, auto, auto t, auto) { return t == 1 ? 8.0 : 0.0; };
    xqacheck_problem p = h.make();
    const float k_scale = 0.25f;
    p.q_scale = {3.0f, 0, nullptr};
    p.k_scale = {99.0f, 0, &k_scale};  // the pointer wins
    p.v_scale = {0.5f, 0, nullptr};
    p.rcp_out_scale = {7.0f, 0, nullptr};
    const double score = 2.0 * 3.0 * 3.0 * 0.25 / 4.0;
    const Golden g = golden(p, nullptr);
    CHECK(at(g, 0, 0, 5) == Approx(8 * 0.5 * 7 / (1 + std::exp(-score))).epsilon(kTight));
    CHECK(g.lse[1] == Approx(std::log1p(std::exp(score))).epsilon(kTight));
  }
}

TEST_CASE("Zero length: output 0, LSE the sink or -inf") {
  HandProblem h = varied();
  h.lens = {0, 3};
  const Golden g = golden(h.make(), nullptr);
  for (std::uint32_t d = 0; d < 16; ++d) CHECK(at(g, 0, 0, d) == 0);
  CHECK(g.lse[0] == -kInf);
  CHECK(g.empty[0] == 1);
  CHECK(g.special[0] == 0);
  CHECK(g.empty[2] == 0);
  HandProblem s = h;
  s.sinks = {1.5f, 2.5f};
  const Golden sunk = golden(s.make(), nullptr);
  CHECK(sunk.lse[0] == 1.5);
  CHECK(sunk.lse[1] == 2.5);
  CHECK(at(sunk, 0, 1, 7) == 0);
}

TEST_CASE("A fully masked row is empty; the mask implies nothing; older tokens are always visible") {
  HandProblem h = varied();
  h.rows = 3;
  h.lens = {3};  // drafts only: a zero mask row sees nothing
  h.mask = {0b001u, 0u, 0b100u};
  const Golden g = golden(h.make(), nullptr);
  CHECK(at(g, 0, 0, 2) == h.v(0, 0, 0, 2));
  CHECK(g.empty[2] == 1);
  CHECK(at(g, 1, 0, 2) == 0);
  CHECK(at(g, 2, 1, 4) == h.v(0, 0, 2, 4));
  HandProblem context = h;
  context.lens = {4};
  const Golden older = golden(context.make(), nullptr);
  CHECK(at(older, 1, 0, 2) == context.v(0, 0, 0, 2));
}

TEST_CASE("All scores -inf: output 0 even over NaN in V; one -inf score: weight 0") {
  HandProblem h = varied();
  h.q = [](auto, auto, auto) { return 1.0; };
  h.k = [](auto, auto, auto, auto) { return -kInf; };
  h.v = [](auto, auto, auto, auto) { return kNan; };
  const Golden g = golden(h.make(), nullptr);
  for (double x : g.out) CHECK(x == 0);
  CHECK(g.empty[0] == 1);
  CHECK(g.lse[1] == -kInf);
  HandProblem one = varied();
  one.lens = {2};
  one.q = h.q;
  one.k = [](auto, auto, auto t, auto) { return t == 0 ? -kInf : 1.0; };
  const Golden rest = golden(one.make(), nullptr);
  CHECK(at(rest, 0, 0, 3) == one.v(0, 0, 1, 3));
}

TEST_CASE("NaN and Inf reach exactly the rows and channels that see them") {
  SECTION("NaN in one token of K: every row of its request and KV head") {
    HandProblem h = varied();
    h.lens = {5, 5};
    h.kv_heads = 2;
    h.k = [](auto b, auto g, auto t, auto d) { return b == 1 && g == 0 && t == 2 && d == 9 ? kNan : 0.5; };
    const Golden g = golden(h.make(), nullptr);
    for (std::uint32_t b = 0; b < 2; ++b) {
      for (std::uint32_t head = 0; head < 4; ++head) {
        const bool hit = b == 1 && head < 2;
        CHECK(std::isnan(at(g, b, head, 0)) == hit);
        CHECK(std::isnan(g.lse[b * 4 + head]) == hit);
        CHECK((g.special[b * 4 + head] == 1) == hit);
      }
    }
  }
  SECTION("NaN in q: that row and head only") {
    HandProblem h = varied();
    h.q = [](auto, auto head, auto d) { return head == 1 && d == 0 ? kNan : 0.5; };
    const Golden g = golden(h.make(), nullptr);
    CHECK(std::isfinite(at(g, 0, 0, 0)));
    CHECK(std::isnan(at(g, 0, 1, 0)));
  }
  SECTION("NaN or Inf in V: that channel only; opposite infinities make NaN") {
    HandProblem h = varied();
    h.v = [](auto, auto, auto t, auto d) {
      if (d == 1 && t == 2) return kNan;
      if (d == 2 && t == 2) return -kInf;
      if (d == 3 && t < 2) return t == 0 ? kInf : -kInf;
      return 1.0;
    };
    const Golden g = golden(h.make(), nullptr);
    CHECK(at(g, 0, 0, 0) == Approx(1).margin(kTight));
    CHECK(std::isnan(at(g, 0, 0, 1)));
    CHECK(at(g, 0, 0, 2) == -kInf);
    CHECK(std::isnan(at(g, 0, 0, 3)));
    CHECK(std::isfinite(g.lse[0]));
  }
  SECTION("+inf score: the row is NaN") {
    HandProblem h = varied();
    h.q = [](auto, auto, auto) { return 1.0; };
    h.k = [](auto, auto, auto t, auto) { return t == 4 ? kInf : 1.0; };
    const Golden g = golden(h.make(), nullptr);
    CHECK(std::isnan(at(g, 0, 0, 0)));
  }
  SECTION("outside of the window nothing matters") {
    HandProblem h = varied();
    h.k = [](auto, auto, auto t, auto) { return t == 0 ? kNan : 0.5; };
    h.v = [](auto, auto, auto t, auto) { return t == 0 ? kNan : 0.5; };
    xqacheck_problem p = h.make();
    p.window = 4;
    const Golden g = golden(p, nullptr);
    for (double x : g.out) CHECK(x == Approx(0.5).margin(kTight));
    p.window = 5;
    CHECK(std::isnan(golden(p, nullptr).out[0]));
  }
}

TEST_CASE("Sinks of -inf, +inf and NaN") {
  HandProblem h = varied();
  const Golden plain = golden(HandProblem(h).make(), nullptr);
  h.sinks = {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()};
  const Golden g = golden(h.make(), nullptr);
  CHECK(at(g, 0, 0, 3) == plain.out[3]);
  CHECK(at(g, 0, 1, 3) == 0);
  CHECK(g.lse[1] == kInf);
  HandProblem n = varied();
  n.sinks = {std::numeric_limits<float>::quiet_NaN(), 0};
  const Golden bad = golden(n.make(), nullptr);
  CHECK(std::isnan(at(bad, 0, 0, 3)));
  CHECK(std::isfinite(at(bad, 0, 1, 3)));
}

TEST_CASE("Contradictions and reads outside of a tensor are refused by name") {
  HandProblem h = varied();
  h.page = 2;
  xqacheck_problem p = h.make();
  p.pages_in_pool = 3;
  CHECK_THROWS_WITH(golden(p, nullptr), Catch::Contains("page_table of request 0") && Catch::Contains("pages_in_pool"));
  p.pages_in_pool = 4;
  p.k.bytes -= 2;
  CHECK_THROWS_WITH(golden(p, nullptr), Catch::Contains("golden: k holds"));
  p.k.bytes += 2;
  p.max_seq_len = 4;
  CHECK_THROWS_WITH(golden(p, nullptr), Catch::Contains("seq_lens[0] = 5 is above max_seq_len = 4"));
  HandProblem d = varied();
  d.rows = 3;
  d.lens = {2};
  CHECK_THROWS_WITH(golden(d.make(), nullptr), Catch::Contains("below the 3 query rows"));
}

TEST_CASE("Instruction sets agree but for the order of additions") {
  HandProblem h = varied();
  h.kv_dtype = XQACHECK_E4M3;
  h.group = 11;  // more rows than one vector, and a rest
  h.dim = 48;
  h.capacity = 203;
  h.lens = {203, 70, 1};
  const xqacheck_problem p = h.make();
  const Golden best = golden(p, nullptr);
  int sets = 0;
  for (std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    const Golden other = golden(p, nullptr);
    ++sets;
    INFO(hwy::TargetName(target));
    for (std::size_t i = 0; i < best.out.size(); ++i) {
      CHECK(other.out[i] == Approx(best.out[i]).margin(kTight));
      CHECK(other.worst[i] == Approx(best.worst[i]).epsilon(1e-12));
      CHECK(other.sigma[i] == Approx(best.sigma[i]).epsilon(1e-12));
      CHECK(other.bias[i] == Approx(best.bias[i]).epsilon(1e-12));
    }
  }
  CHECK(sets >= 1);
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST_CASE("The result does not depend on the number of threads") {
  HandProblem h = varied();
  h.capacity = 5000;
  h.lens = {5000, 4097};
  const xqacheck_problem p = h.make();
  const Golden one = golden(p, nullptr, {true, false, 1}), four = golden(p, nullptr, {true, false, 4});
  CHECK(one.out == four.out);
  CHECK(one.worst == four.worst);
  CHECK(one.sigma == four.sigma);
  CHECK(one.bias == four.bias);
  CHECK(one.lse == four.lse);
}
