// flash32 on problems whose answers follow by hand. Random cases against the golden model are tested elsewhere.
#include <cmath>
#include <limits>

#include "tests/catch.hpp"
#include "tests/kernels/flash32/small_problem.hpp"

using xqacheck::tests::SmallProblem;

namespace {

// Keys are zero, so every visible token weighs the same; channel 1 of V holds the token's position, so channel
// 1 of the output is the mean position of the visible tokens.
SmallProblem uniform_weights(std::vector<std::uint32_t> lens, std::uint32_t rows = 1) {
  SmallProblem s(std::move(lens), rows);
  for (std::uint32_t r = 0; r < s.lens.size(); ++r)
    for (std::uint32_t t = 0; t < s.capacity; ++t) s.v[s.cached(r, t, 1)] = SmallProblem::bits(static_cast<float>(t));
  return s;
}

}  // namespace

TEST_CASE("flash32: equal scores give the mean of V, for any split count") {
  for (const std::uint32_t splits : {0u, 1u, 2u, 3u, 4u, 64u}) {
    SmallProblem s = uniform_weights({1, 9, 65, 129});
    s.forced_splits = splits;
    REQUIRE(s.run() == "");
    for (std::uint32_t r = 0; r < 4; ++r) {
      CHECK(s.output(r, 0, 1) == (s.lens[r] - 1) / 2.0f);
      CHECK(s.output(r, 1, 1) == (s.lens[r] - 1) / 2.0f);
      CHECK(s.lse[r * 2] == Approx(std::log(s.lens[r])).epsilon(1e-6));
    }
  }
}

TEST_CASE("flash32: scores, scale and softmax") {
  SmallProblem s({2});
  // q = 2 in channel 0; keys 0 and 4 ln 2 (as rounded to bf16): scores 0 and q k / sqrt(16).
  const float key = SmallProblem::number(SmallProblem::bits(4 * std::log(2.0f)));
  s.q[0] = s.q[s.dim] = SmallProblem::bits(2.0f);
  s.k[s.cached(0, 1, 0)] = SmallProblem::bits(key);
  s.v[s.cached(0, 1, 3)] = SmallProblem::bits(1.0f);
  REQUIRE(s.run() == "");
  const double weight = std::exp(2.0 * key / 4), share = weight / (1 + weight);
  CHECK(s.output(0, 0, 3) == Approx(share).epsilon(0x1p-8));
  CHECK(s.lse[0] == Approx(std::log(1 + weight)).epsilon(1e-6));
}

TEST_CASE("flash32: a sink is one more token with a zero value") {
  SmallProblem s = uniform_weights({4});
  s.sinks = {std::log(4.0f), 200.0f};
  REQUIRE(s.run() == "");
  CHECK(s.output(0, 0, 1) == 0.75f);  // mean of 0..3, halved
  CHECK(s.output(0, 1, 1) == 0.0f);   // exp(-200) leaves nothing, and nothing overflows
  CHECK(s.lse[0] == Approx(std::log(8.0f)).epsilon(1e-6));
  CHECK(s.lse[1] == 200.0f);
}

TEST_CASE("flash32: a window keeps the last tokens, the mask chooses among the drafts") {
  SmallProblem s = uniform_weights({100});
  s.window = 3;
  REQUIRE(s.run() == "");
  CHECK(s.output(0, 0, 1) == 98.0f);  // 97, 98, 99

  SmallProblem drafts = uniform_weights({10}, 3);  // tokens 7, 8, 9 are drafts
  drafts.mask_kind = XQACHECK_MASK_CAUSAL;
  drafts.mask = {0b001, 0b011, 0b101};  // row 2 does not see draft 1
  REQUIRE(drafts.run() == "");
  CHECK(drafts.output(0, 0, 1) == 3.5f);                                                    // 0..7
  CHECK(drafts.output(1, 0, 1) == 4.0f);                                                    // 0..8
  CHECK(drafts.output(2, 0, 1) == SmallProblem::number(SmallProblem::bits(37.0f / 9.0f)));  // 0..7 and 9
  drafts.window = 2;  // row i sees tokens from 10 - 3 + 1 + i - 2 = 6 + i on
  REQUIRE(drafts.run() == "");
  CHECK(drafts.output(0, 0, 1) == 6.5f);  // 6, 7
  CHECK(drafts.output(1, 0, 1) == 7.5f);  // 7, 8
  CHECK(drafts.output(2, 0, 1) == 9.0f);  // 8 is masked, 9
}

TEST_CASE("flash32: empty rows give zero, and minus infinity or the sink as LSE") {
  SmallProblem s = uniform_weights({0, 3});
  REQUIRE(s.run() == "");
  CHECK(s.output(0, 0, 1) == 0.0f);
  CHECK(s.lse[0] == -std::numeric_limits<float>::infinity());
  CHECK(s.output(1, 0, 1) == 1.0f);
  s.sinks = {2.0f, 2.0f};
  REQUIRE(s.run() == "");
  CHECK(s.output(0, 0, 1) == 0.0f);
  CHECK(s.lse[0] == 2.0f);
}

TEST_CASE("flash32: scores of minus infinity are an empty row whatever V holds") {
  SmallProblem s = uniform_weights({3});
  for (std::uint32_t t = 0; t < 3; ++t) s.k[s.cached(0, t, 0)] = SmallProblem::bits(-INFINITY);
  s.q[0] = s.q[s.dim] = SmallProblem::bits(1.0f);
  s.v[s.cached(0, 1, 2)] = 0x7fc0;
  s.sinks = {1.0f, INFINITY};
  REQUIRE(s.run() == "");
  CHECK(s.output(0, 0, 2) == 0.0f);
  CHECK(s.lse[0] == 1.0f);
  CHECK(s.lse[1] == INFINITY);
}

TEST_CASE("flash32: NaN in unused places changes nothing, in used places only its rows") {
  SmallProblem s = uniform_weights({5, 70});
  const std::uint16_t nan = 0x7fc0;
  for (std::uint32_t t = 5; t < 16; ++t) s.v[s.cached(0, t, 1)] = s.k[s.cached(0, t, 0)] = nan;
  s.k[s.cached(1, 69, 0)] = nan;
  s.forced_splits = 2;
  REQUIRE(s.run() == "");
  CHECK(s.output(0, 0, 1) == 2.0f);
  CHECK(std::isnan(s.output(1, 0, 1)));
  CHECK(std::isnan(s.output(1, 1, 2)));
  CHECK(std::isnan(s.lse[2]));
}

TEST_CASE("flash32: pages are found through the table") {
  SmallProblem s = uniform_weights({24});
  std::swap(s.table[0], s.table[2]);  // tokens 0..7 now live where 16..23 were
  s.window = 8;
  REQUIRE(s.run() == "");
  CHECK(s.output(0, 0, 1) == 3.5f);
}
