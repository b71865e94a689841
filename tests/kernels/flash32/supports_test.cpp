// Every refusal names the field.
#include <functional>

#include "tests/catch.hpp"
#include "tests/kernels/flash32/small_problem.hpp"

namespace {

struct Refusal {
  std::function<void(xqacheck_problem&)> spoil;
  xqacheck_status status;
  std::string field;
};

}  // namespace

TEST_CASE("flash32 refuses what it cannot do and names the field") {
  const Refusal refusals[] = {
      {[](auto& p) { p.struct_bytes = 8; }, XQACHECK_INVALID, "struct_bytes"},
      {[](auto& p) { p.requests = 0; }, XQACHECK_INVALID, "requests"},
      {[](auto& p) { p.q_heads = 3, p.kv_heads = 2; }, XQACHECK_INVALID, "q_heads"},
      {[](auto& p) { p.kv_heads = 0; }, XQACHECK_INVALID, "q_heads"},
      {[](auto& p) { p.head_dim = 24; }, XQACHECK_INVALID, "head_dim"},
      {[](auto& p) { p.head_dim = 2048; }, XQACHECK_UNSUPPORTED, "head_dim"},
      {[](auto& p) { p.head_dim_v = 4096; }, XQACHECK_UNSUPPORTED, "head_dim_v"},
      {[](auto& p) { p.kv_aliased = 1, p.head_dim_v = 32; }, XQACHECK_INVALID, "kv_aliased"},
      {[](auto& p) { p.beam_width = 0; }, XQACHECK_INVALID, "beam_width"},
      {[](auto& p) { p.max_rows = 0; }, XQACHECK_INVALID, "max_rows"},
      {[](auto& p) { p.total_rows = 7; }, XQACHECK_INVALID, "total_rows"},
      {[](auto& p) { p.table_columns = 1; }, XQACHECK_INVALID, "table_columns"},
      {[](auto& p) { p.seq_lens = {}; }, XQACHECK_INVALID, "seq_lens"},
      {[](auto& p) { p.page_table.dtype = XQACHECK_FP32; }, XQACHECK_INVALID, "page_table"},
      {[](auto& p) { p.k.memory = XQACHECK_CUDA; }, XQACHECK_INVALID, "k is not in host memory"},
      {[](auto& p) { p.q.align = 1; }, XQACHECK_INVALID, "q is aligned"},
      {[](auto& p) { p.q.dtype = XQACHECK_FP32, p.q.align = 4; }, XQACHECK_UNSUPPORTED, "q has dtype"},
      {[](auto& p) { p.k.dtype = p.v.dtype = XQACHECK_FP16; }, XQACHECK_UNSUPPORTED, "k has dtype"},
      {[](auto& p) { p.v.dtype = XQACHECK_INT8; }, XQACHECK_INVALID, "v has dtype"},
      {[](auto& p) { p.out.dtype = XQACHECK_FP16; }, XQACHECK_UNSUPPORTED, "out has dtype"},
      {[](auto& p) { p.mask_kind = 9; }, XQACHECK_UNSUPPORTED, "mask_kind"},
      {[](auto& p) { p.rope_kind = 7; }, XQACHECK_UNSUPPORTED, "rope_kind"},
      {[](auto& p) { p.rope_kind = XQACHECK_ROPE_GPTJ, p.rotary_dim = 32; }, XQACHECK_INVALID, "rotary_dim"},
      {[](auto& p) { p.rope_kind = XQACHECK_ROPE_GPTJ, p.rotary_dim = 16; }, XQACHECK_INVALID, "rope_table"},
      {[](auto& p) { p.k_new = p.q, p.beam_width = 2, p.total_rows = 4; }, XQACHECK_UNSUPPORTED, "beam_width"},
      {[](auto& p) { p.lse_base = 0; }, XQACHECK_INVALID, "lse_base"},
      {[](auto& p) { p.ragged = 1; }, XQACHECK_INVALID, "row_offsets"},
      {[](auto& p) { p.mask_kind = XQACHECK_MASK_TREE; }, XQACHECK_INVALID, "mask"},
  };
  for (const Refusal& refusal : refusals) {
    xqacheck::tests::SmallProblem small({5, 6});
    xqacheck_problem p = small.view();
    refusal.spoil(p);
    char why[256] = "";
    INFO(refusal.field);
    CHECK(xqacheck_flash32_kernel()->supports(&p, why, sizeof why) == refusal.status);
    CHECK(std::string(why).find(refusal.field) == 0);
    char tiny[4];
    xqacheck_flash32_kernel()->supports(&p, tiny, sizeof tiny);  // cut, still terminated
    CHECK(std::string(tiny) == std::string(why).substr(0, 3));
  }
}

TEST_CASE("flash32 plans splits within what is useful") {
  xqacheck::tests::SmallProblem small({5});
  xqacheck_problem p = small.view();
  const auto plan = xqacheck_flash32_kernel()->split_plan;
  CHECK(plan(&p) == 1);
  p.forced_splits = 3;
  CHECK(plan(&p) == 3);
  p.forced_splits = 1000;
  CHECK(plan(&p) == 4);  // 256 tokens are four tiles
  p.forced_splits = 0;
  p.max_seq_len = 4096;
  CHECK(plan(&p) == 8);
}
