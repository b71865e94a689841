// Recorded calls of the public kernel, run from a stand-in with its interface: how outputs are compared.
#include "emulation/ptx/replay/replay.hpp"

#include <cstdlib>
#include <cstring>

#include "emulation/ptx/front/parser.hpp"
#include "tests/catch.hpp"

namespace xqacheck::ptx::test {
namespace {

// The draft form's parameters (doc/ptx-machine.md). Copies q to the output: both are [token][head][dim] of 16 bits.
const char* kCopiesQuery = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .global .align 4 .u32 smemSize = 1024;
.visible .entry kernel(.param .u32 drafts, .param .u32 heads, .param .u32 group, .param .u64 offsets, .param .f32 qs, .param .u64 qsp,
  .param .u64 out, .param .u64 q, .param .u64 mask, .param .u64 sinks, .param .align 8 .b8 cache[40], .param .u32 requests,
  .param .f32 kvs, .param .u64 kvsp, .param .u32 s0, .param .u32 s1, .param .u32 s2, .param .u64 semaphores, .param .u64 scratch)
{
.reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b16 %h<2>;
ld.param.u64 %rd1, [offsets]; ld.param.u64 %rd2, [out]; ld.param.u64 %rd3, [q];
ld.param.u32 %r1, [heads]; ld.param.u32 %r2, [group]; ld.param.u32 %r3, [requests];
mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y; add.u32 %r4, %r4, %r5; mov.u32 %r5, %ctaid.z; add.u32 %r4, %r4, %r5;
mov.u32 %r5, %tid.x; add.u32 %r4, %r4, %r5; mov.u32 %r5, %tid.z; add.u32 %r4, %r4, %r5;
setp.ne.u32 %p1, %r4, 0;
@%p1 exit;
mul.wide.u32 %rd4, %r3, 4; add.s64 %rd4, %rd1, %rd4; ld.global.u32 %r6, [%rd4];
mul.lo.u32 %r6, %r6, %r1; mul.lo.u32 %r6, %r6, %r2; mul.lo.u32 %r6, %r6, 128;
again:
ld.global.b16 %h1, [%rd3]; st.global.b16 [%rd2], %h1;
add.s64 %rd2, %rd2, 2; add.s64 %rd3, %rd3, 2;
sub.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r6, 0;
@%p2 bra again;
ret;
}
)";

emulation::Recording fixture(const std::string& name) {
  return emulation::read_recording(std::string(std::getenv("XQACHECK_SOURCE_DIR")) + "/fixtures/recorded/" + name);
}

TEST_CASE("Outputs of a call with ragged drafts are compared row by row") {
  emulation::Recording recording = fixture("095_hmma_bf16_kv16_d128g4h2_p32_sd_onehot_s1.safetensors");
  REQUIRE(recording.problem.description.ragged != 0);
  const Module module = parse(kCopiesQuery, "stand-in.ptx");
  const auto schedules = standard_schedules(2);
  // 2, 5 and 3 drafts, 8 heads of 128.
  const auto& query = recording.problem.tensor(reference::TensorId::q);
  REQUIRE(query.size() == 10 * 8 * 128 * 2);
  std::memcpy(recording.out.data(), query.data(), query.size());
  PtxReplay result = replay_from_ptx(module, recording, schedules, {});
  CHECK(result.fault == "");
  CHECK(result.findings.empty());
  CHECK(result.schedules == 2);
  CHECK(result.comparison.elements == 10240);
  CHECK(result.comparison.differing == 0);

  recording.out[(std::size_t{3} * 8 * 128 + 2 * 128 + 7) * 2] ^= std::byte{1};  // second row of the second request
  result = replay_from_ptx(module, recording, schedules, {});
  CHECK(result.differing_schedules == 2);
  CHECK(result.comparison.differing == 1);
  REQUIRE(result.comparison.first);
  CHECK(result.comparison.first->request == 1);
  CHECK(result.comparison.first->row == 1);
  CHECK(result.comparison.first->head == 2);
  CHECK(result.comparison.first->dim == 7);
}

TEST_CASE("PTX of another configuration is refused") {
  CHECK_THROWS_WITH(replay_from_ptx(parse(kCopiesQuery, "stand-in.ptx"),
                                    fixture("028_hmma_bf16_i8_d128g8h1_p32_ints_s3.safetensors"), standard_schedules(1), {}),
                    Catch::Contains("it was compiled with other options"));
}

}  // namespace
}  // namespace xqacheck::ptx::test
