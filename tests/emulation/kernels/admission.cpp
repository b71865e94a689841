// What the emulated kernels refuse: as the public kernels do, and where those are known to answer wrongly.
#include "emulation/kernels/admission.hpp"

#include "tests/catch.hpp"

using namespace xqacheck::emulation;
using Catch::Matchers::Contains;

namespace {

xqacheck_problem decode(std::uint32_t kv_dtype) {
  xqacheck_problem p{};
  p.requests = 2, p.kv_heads = 1, p.q_heads = 8, p.beam_width = 1, p.max_rows = 1, p.total_rows = 2;
  p.head_dim = p.head_dim_v = 128, p.max_seq_len = 256, p.page_tokens = 32;
  p.q.dtype = p.out.dtype = XQACHECK_BF16;
  p.k.dtype = p.v.dtype = kv_dtype;
  p.q_scale.value = p.k_scale.value = p.v_scale.value = p.rcp_out_scale.value = 1;
  p.k_stride_token = p.v_stride_token = p.k_stride_head = p.v_stride_head = 128;
  p.k_stride_page = p.v_stride_page = 4096;
  return p;
}

xqacheck_problem drafts(std::uint32_t kv_dtype, std::uint32_t rows, std::uint32_t group) {
  xqacheck_problem p = decode(kv_dtype);
  p.q_heads = group, p.max_rows = rows, p.total_rows = 2 * rows, p.mask_words = 1;
  p.mask_kind = XQACHECK_MASK_CAUSAL;
  return p;
}

std::string hmma(const xqacheck_problem& p) { return admit(KernelVariant::hmma, hmma_recipe(), p).why; }
std::string qgmma(const xqacheck_problem& p, const Recipe& recipe = gmma_recipe()) { return admit(KernelVariant::qgmma, recipe, p).why; }
std::string hgmma(const xqacheck_problem& p) { return admit(KernelVariant::hgmma, gmma_recipe(), p).why; }

template <class Change>
xqacheck_problem with(xqacheck_problem p, Change change) { change(p); return p; }

}  // namespace

TEST_CASE("plain decode is taken by the kernel of its cache", "[admission]") {
  for (const std::uint32_t cache : {XQACHECK_BF16, XQACHECK_INT8, XQACHECK_E4M3}) CHECK(hmma(decode(cache)).empty());
  CHECK(qgmma(decode(XQACHECK_E4M3)).empty());
  CHECK_THAT(qgmma(decode(XQACHECK_INT8)), Contains("must be e4m3"));
  CHECK(hgmma(decode(XQACHECK_BF16)).empty());
  CHECK_THAT(hgmma(decode(XQACHECK_FP16)), Contains("dtype of q"));
}

TEST_CASE("refusals name the field", "[admission]") {
  const auto refused = [](auto change) { return hmma(with(decode(XQACHECK_E4M3), change)); };
  CHECK_THAT(refused([](auto& p) { p.v_scale.value = 2; }), Contains("one scale for both"));
  CHECK_THAT(refused([](auto& p) { p.lse.dtype = XQACHECK_FP32; }), Contains("lse"));
  CHECK_THAT(refused([](auto& p) { p.skip_softmax_factor = 1; }), Contains("skip_softmax_factor"));
  CHECK_THAT(refused([](auto& p) { p.rope_kind = XQACHECK_ROPE_NEOX; }), Contains("rope_kind"));
  CHECK_THAT(refused([](auto& p) { p.page_tokens = 48; }), Contains("page_tokens 48"));
  CHECK_THAT(refused([](auto& p) { p.v_stride_page = 8192; }), Contains("strides"));
  CHECK_THAT(refused([](auto& p) { p.k_stride_token = p.v_stride_token = 144; }), Contains("multiple of head_dim 128"));
  CHECK_THAT(refused([](auto& p) { p.q_heads = 80; }), Contains("shared memory"));
  CHECK_THAT(refused([](auto& p) { p.head_dim = p.head_dim_v = 320; }), Contains("at most 256"));
  CHECK_THAT(refused([](auto& p) { p.head_dim_v = 64; }), Contains("head_dim_v"));
  CHECK_THAT(refused([](auto& p) { p.q_heads = 9, p.kv_heads = 2; }), Contains("multiple of kv_heads"));
  CHECK(admit(KernelVariant::hmma, hmma_recipe(), with(decode(XQACHECK_E4M3), [](auto& p) { p.head_dim = 100; })).status ==
        XQACHECK_INVALID);
}

TEST_CASE("combinations that the recordings show to be wrong are outside the domain", "[admission]") {
  const auto sinks = [](xqacheck_problem p) { p.sinks.dtype = XQACHECK_FP32; return p; };
  CHECK(hmma(sinks(drafts(XQACHECK_E4M3, 8, 8))).empty());
  CHECK(hmma(sinks(drafts(XQACHECK_E4M3, 6, 5))).empty());  // one block of 32 rows: heads are right
  CHECK_THAT(hmma(sinks(drafts(XQACHECK_E4M3, 7, 5))), Contains("wrong head"));
  CHECK(qgmma(drafts(XQACHECK_E4M3, 8, 8)).empty());
  CHECK_THAT(qgmma(sinks(drafts(XQACHECK_E4M3, 8, 8))), Contains("sink of the last head"));
  CHECK_THAT(hgmma(drafts(XQACHECK_BF16, 2, 8)), Contains("traps"));
  const Recipe swapped = parse_recipe("gmma", "sm_90", "", "keys_on_m=always");
  xqacheck_problem tree = drafts(XQACHECK_E4M3, 4, 4);
  CHECK(qgmma(tree, swapped).empty());
  tree.mask_kind = XQACHECK_MASK_TREE;
  CHECK(qgmma(tree).empty());
  CHECK_THAT(qgmma(tree, swapped), Contains("mask is ignored"));
}

TEST_CASE("what was never recorded is only believed", "[admission]") {
  CHECK(evidence_of(hmma_recipe(), decode(XQACHECK_E4M3)).proven);
  CHECK(evidence_of(gmma_recipe(), drafts(XQACHECK_E4M3, 8, 8)).proven);
  CHECK_THAT(evidence_of(gmma_recipe(), drafts(XQACHECK_E4M3, 9, 8)).why, Contains("64 draft rows"));
  CHECK_THAT(evidence_of(hmma_recipe(), with(decode(XQACHECK_E4M3), [](auto& p) { p.page_tokens = 0; })).why, Contains("contiguous"));
  CHECK_THAT(evidence_of(parse_recipe("hmma", "sm_80", "", ""), decode(XQACHECK_BF16)).why, Contains("sm_80"));
  // A recipe with parameters of its own is its author's claim: bits hold him to it.
  CHECK(evidence_of(parse_recipe("hmma", "sm_90", "", "hint=never"), decode(XQACHECK_BF16)).proven);
  CHECK_THAT(evidence_of(hmma_recipe(), with(decode(XQACHECK_E4M3), [](auto& p) { p.rope_kind = XQACHECK_ROPE_NEOX; })).why,
             Contains("RoPE"));
}
