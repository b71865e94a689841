#include "kernels/host/split_plan.hpp"

#include <cstdlib>
#include <stdexcept>

#include "tests/catch.hpp"

using namespace xqacheck::kernels;

namespace {
PlanInput input(std::uint32_t batch, std::uint32_t heads, std::uint32_t tokens, std::uint32_t sms = 132) {
  PlanInput in;
  in.batch = batch, in.kv_heads = heads, in.max_seq_len = tokens, in.max_past_kv_length = tokens, in.sm_count = sms;
  return in;
}
}  // namespace

TEST_CASE("the article's worked example: 100 blocks of history are pressed to 28") {
  // article: "k = 100 gives sqrt(800), about 28"; one request, one head: far below 8 waves.
  CHECK(plan_article(input(1, 1, 12800)) == 28);
}

TEST_CASE("article plan: short histories stay in one block, 8 blocks are the last uncompressed count") {
  CHECK(plan_article(input(1, 1, 0)) == 1);
  CHECK(plan_article(input(1, 1, 127)) == 1);
  CHECK(plan_article(input(1, 1, 256)) == 2);
  CHECK(plan_article(input(1, 1, 1024)) == 8);
  CHECK(plan_article(input(1, 1, 1152)) == 8);  // sqrt(72) = 8.49
}

TEST_CASE("article plan: at most 8 waves and at most 6000 sub-sequences") {
  // batch 64 x 8 heads x 28 blocks = 14336 CTAs = 108.6 waves of 132; adjust 13.58; floor(28 / 13.58) = 2.
  CHECK(plan_article(input(64, 8, 12800)) == 2);
  CHECK(plan_article(input(6000, 1, 12800, 100000)) == 1);
  auto mla = input(100, 1, 12800, 100000);
  mla.mla = true;
  CHECK(plan_article(mla) == 5);  // 500 / 100
}

TEST_CASE("runtime plan: 512 history tokens a block") {
  CHECK(plan_runtime(input(1, 1, 511)) == 1);
  CHECK(plan_runtime(input(1, 1, 4096)) == 8);
}

// Measured on an H200 (132 SMs), xqa-kernels section 4: "default sub" of the launchers.
TEST_CASE("launcher plans give the split counts that were measured") {
  struct Row {
    std::uint32_t heads, batch, tokens, hmma, gmma;
  };
  for (const auto& row :
       {Row{1, 1, 8192, 32, 99}, Row{1, 1, 32768, 128, 99}, Row{1, 8, 8192, 16, 12}, Row{1, 8, 32768, 16, 12},
        Row{1, 32, 8192, 4, 3}, Row{8, 1, 32768, 16, 12}, Row{8, 8, 8192, 2, 2}, Row{1, 128, 8192, 1, 1}}) {
    CAPTURE(row.heads, row.batch, row.tokens);
    CHECK(plan_hmma(input(row.batch, row.heads, row.tokens)) == row.hmma);
    CHECK(plan_gmma(input(row.batch, row.heads, row.tokens)) == row.gmma);
  }
}

TEST_CASE("draft plan: off for big batches and short histories, within one wave otherwise") {
  CHECK(plan_draft(input(33, 1, 8192)) == 1);
  CHECK(plan_draft(input(1, 1, 2047)) == 1);
  CHECK(plan_draft(input(1, 132, 8192)) == 1);
  CHECK(plan_draft(input(1, 1, 2048)) == 8);    // 132 -> 128 -> 64, history 2^11: >> 3
  CHECK(plan_draft(input(1, 1, 4096)) == 16);   // 2^12: >> 2
  CHECK(plan_draft(input(1, 1, 16384)) == 32);  // 2^14: >> 1
  CHECK(plan_draft(input(1, 1, 65536)) == 64);
  CHECK(plan_draft(input(1, 8, 4096)) == 8);  // 132 / 8 = 16, halved for 8 CTAs
  for (std::uint32_t heads = 1; heads < 140; ++heads)
    for (std::uint32_t tokens : {2048u, 5000u, 70000u}) {
      const auto blocks = plan_draft(input(1, heads, tokens));
      CHECK((blocks == 1 || blocks * heads <= 132));
    }
}

TEST_CASE("every plan gives at least one block for any size") {
  for (const auto& plan : split_plans())
    for (std::uint32_t batch : {1u, 7u, 200000u})
      for (std::uint32_t tokens : {0u, 1u, 64u, 4096u, 4000000000u}) {
        CAPTURE(plan.name, batch, tokens);
        CHECK(plan.plan(input(batch, 3, tokens)) >= 1);
      }
  CHECK_THROWS_AS(plan_article(input(0, 1, 1)), std::invalid_argument);
  CHECK_THROWS_WITH(split_plan_by_name("hmm"), Catch::Contains("article, runtime, draft, hmma, gmma, single"));
}

TEST_CASE("XQACHECK_FORCE_SPLITS is a number or an error") {
  setenv("XQACHECK_FORCE_SPLITS", "12", 1);
  CHECK(forced_splits_from_environment() == 12);
  for (const char* bad : {"0", "-1", "12x", "65536", "many"}) {
    setenv("XQACHECK_FORCE_SPLITS", bad, 1);
    CHECK_THROWS_WITH(forced_splits_from_environment(), Catch::Contains("XQACHECK_FORCE_SPLITS=" + std::string(bad)));
  }
  unsetenv("XQACHECK_FORCE_SPLITS");
  CHECK(forced_splits_from_environment() == 0);
}
