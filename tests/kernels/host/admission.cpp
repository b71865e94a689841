#include "kernels/host/admission.hpp"

#include <cstdlib>
#include <functional>
#include <stdexcept>

#include "tests/catch.hpp"

using namespace xqacheck::kernels;

namespace {

AttentionCall good_hmma() {
  return {};
}  // bf16 GQA 8/1 on an H200

AttentionCall good_qgmma() {
  AttentionCall call;
  call.kv_dtype = XQACHECK_E4M3;
  call.max_past_kv_length = 8192;
  return call;
}

AttentionCall good_mla() {
  AttentionCall call;
  call.sm = 120, call.head_dim = 576, call.head_dim_v = 512, call.q_heads = 128, call.kv_heads = 1;
  call.kv_dtype = XQACHECK_E4M3;
  return call;
}

struct Row {
  const char* what;                            // a word that the reason must hold
  std::function<void(AttentionCall&)> change;  // one change that makes a good call bad
};

}  // namespace

TEST_CASE("the good calls are admitted") {
  CHECK(admit_hmma(good_hmma()).admitted);
  CHECK(admit_qgmma(good_qgmma()).admitted);
  CHECK(admit_mla(good_mla()).admitted);
}

TEST_CASE("every row of the article's table refuses on its own, with its own reason") {
  const Row rows[] = {
      {"mask", [](auto& c) { c.unidirectional = false; }},
      {"mask", [](auto& c) { c.mask_mode = MaskMode::bidirectional; }},
      {"cross_attention", [](auto& c) { c.cross_attention = true; }},
      {"position_shift", [](auto& c) { c.position_shift = true; }},
      {"sink_token_length", [](auto& c) { c.sink_token_length = 4; }},
      {"q_heads", [](auto& c) { c.q_heads = 9, c.kv_heads = 2; }},
      {"group size 1", [](auto& c) { c.q_heads = c.kv_heads = 8; }},
      {"position_embedding", [](auto& c) { c.position_embedding = PositionEmbedding::alibi; }},
      {"chunked_attention_size", [](auto& c) { c.chunked_attention_size = 8192; }},
      {"q_dtype", [](auto& c) { c.q_dtype = XQACHECK_FP32; }},
      {"head_dim", [](auto& c) { c.head_dim = c.head_dim_v = 72; }},
      {"head_dim", [](auto& c) { c.head_dim = c.head_dim_v = 272; }},
      {"page_tokens", [](auto& c) { c.page_tokens = 48; }},
  };
  for (const auto& row : rows) {
    auto hmma = good_hmma();
    auto qgmma = good_qgmma();
    row.change(hmma), row.change(qgmma);
    CAPTURE(row.what);
    CHECK_FALSE(admit_hmma(hmma).admitted);
    CHECK_THAT(admit_hmma(hmma).reason, Catch::Contains(row.what));
    CHECK_FALSE(admit_qgmma(qgmma).admitted);
    CHECK_THAT(admit_qgmma(qgmma).reason, Catch::Contains(row.what));
  }
}

TEST_CASE("MHA with beams or drafts shares K and V again and is admitted") {
  auto call = good_hmma();
  call.q_heads = call.kv_heads = 8;
  call.beam_width = 4;
  CHECK(admit_hmma(call).admitted);
  call.beam_width = 1, call.multi_query_tokens = true, call.draft_length = 4;
  CHECK(admit_hmma(call).admitted);
}

TEST_CASE("what only one of the kernels refuses") {
  const Row qgmma_rows[] = {
      {"sm=", [](auto& c) { c.sm = 100; }},
      {"beam_width", [](auto& c) { c.beam_width = 4; }},
      {"kv_dtype", [](auto& c) { c.kv_dtype = XQACHECK_BF16; }},
      {"kv_dtype=int8", [](auto& c) { c.kv_dtype = XQACHECK_INT8; }},
      {"linear drafts", [](auto& c) { c.multi_query_tokens = true; }},
      {"group size 64", [](auto& c) { c.q_heads = 64; }},
  };
  for (const auto& row : qgmma_rows) {
    auto call = good_qgmma();
    row.change(call);
    CAPTURE(row.what);
    CHECK_THAT(admit_qgmma(call).reason, Catch::Contains(row.what));
  }
  auto skipping = good_qgmma();
  skipping.kv_dtype = XQACHECK_BF16,
  skipping.skip_softmax = true;  // the article's exception: 16-bit KV when tiles are skipped
  CHECK(admit_qgmma(skipping).admitted);
  auto tree = good_qgmma();
  tree.multi_query_tokens = tree.draft_tree = true;
  CHECK(admit_qgmma(tree).admitted);

  const Row hmma_rows[] = {
      {"sm=", [](auto& c) { c.sm = 75; }},
      {"beam_width", [](auto& c) { c.beam_width = 2; }},
      {"skip_softmax", [](auto& c) { c.skip_softmax = true; }},
      {"kv_dtype", [](auto& c) { c.kv_dtype = XQACHECK_FP16; }},
      {"group size 80", [](auto& c) { c.q_heads = 80; }},
  };
  for (const auto& row : hmma_rows) {
    auto call = good_hmma();
    row.change(call);
    CAPTURE(row.what);
    CHECK_THAT(admit_hmma(call).reason, Catch::Contains(row.what));
  }
  auto wide = good_hmma();
  wide.q_heads = 64;  // 2 * 128 * 64 = 16 KiB: the largest query tile that fits
  CHECK(admit_hmma(wide).admitted);
}

TEST_CASE("expected gain: kv_heads * batch * blocks * 4 against the SMs") {
  auto call = good_hmma();
  call.max_past_kv_length = 128 * 33;  // 33 blocks * 4 = 132
  CHECK(may_have_perf_gain(call));
  call.max_past_kv_length = 128 * 33 - 1;
  CHECK_FALSE(may_have_perf_gain(call));
  call.multi_block_mode = false;
  call.batch = 33;
  CHECK(may_have_perf_gain(call));
  call.batch = 32;
  CHECK_FALSE(may_have_perf_gain(call));
  call.multi_query_tokens = true;  // drafts are exempt
  CHECK(may_have_perf_gain(call));
  CHECK(may_have_perf_gain(good_mla()));
}

TEST_CASE("the decision: MLA, then wgmma, then mma.sync, MMHA for the rest") {
  CHECK(choose_kernel(good_mla()).kernel == KernelChoice::mla);
  CHECK(choose_kernel(good_qgmma()).kernel == KernelChoice::qgmma);
  auto bf16 = good_hmma();
  bf16.max_past_kv_length = 8192;
  CHECK(choose_kernel(bf16).kernel == KernelChoice::hmma);
  bf16.max_past_kv_length = 64;
  CHECK(choose_kernel(bf16).kernel == KernelChoice::mmha);
  auto mha = good_hmma();
  mha.q_heads = mha.kv_heads;
  CHECK(choose_kernel(mha).kernel == KernelChoice::mmha);
  CHECK_THAT(choose_kernel(mha).why, Catch::Contains("group size 1"));
}

TEST_CASE("forcing a kernel overrides the gain, never the admission") {
  auto call = good_hmma();
  call.max_past_kv_length = 1;
  Overrides force;
  force.kernel_forced = true, force.kernel = KernelChoice::hmma;
  CHECK(choose_kernel(call, force).kernel == KernelChoice::hmma);
  force.kernel = KernelChoice::qgmma;
  CHECK_THROWS_WITH(choose_kernel(call, force), Catch::Contains("kv_dtype"));

  setenv("XQACHECK_FORCE_KERNEL", "hmma", 1);
  CHECK(overrides_from_environment().kernel == KernelChoice::hmma);
  setenv("XQACHECK_FORCE_KERNEL", "fast", 1);
  CHECK_THROWS_WITH(overrides_from_environment(), Catch::Contains("XQACHECK_FORCE_KERNEL=fast"));
  unsetenv("XQACHECK_FORCE_KERNEL");
  CHECK_FALSE(overrides_from_environment().kernel_forced);
}

TEST_CASE("RoPE is fused only where the article says, query tiles follow the three rules") {
  auto call = good_qgmma();
  CHECK(rope_fused(call, KernelChoice::qgmma));
  CHECK_FALSE(rope_fused(call, KernelChoice::hmma));
  call.rotary_dim = 24;
  CHECK_FALSE(rope_fused(call, KernelChoice::qgmma));
  call.rotary_dim = 64, call.position_embedding = PositionEmbedding::yarn;
  CHECK_FALSE(rope_fused(call, KernelChoice::qgmma));

  CHECK(query_tile_rows(call, KernelChoice::hmma) == 8);
  call.multi_query_tokens = true, call.draft_length = 1;
  CHECK(query_tile_rows(call, KernelChoice::hmma) == 16);
  call.draft_length = 2;
  CHECK(query_tile_rows(call, KernelChoice::hmma) == 32);
  CHECK(query_tile_rows(call, KernelChoice::qgmma) == 64);
}
