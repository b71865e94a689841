// Divergence, reconvergence, independent progress of lanes, calls, branch tables.
#include <algorithm>
#include <numeric>

#include "tests/catch.hpp"
#include "tests/emulation/ptx/small_kernel.hpp"

namespace xqacheck::ptx::test {
namespace {

TEST_CASE("A loop with a trip count of its own in every lane") {
  // r0 = 0 + 1 + … + t, and after the loop all lanes are together again: the ballot is full.
  const std::string body =
      "mov.u32 %r0, 0; mov.u32 %r1, 0;\nloop: setp.gt.u32 %p0, %r1, %me; @%p0 bra done; add.s32 %r0, %r0, %r1; add.s32 %r1, %r1, 1; bra loop;\n"
      "done: activemask.b32 %r2; setp.eq.u32 %p1, %r2, -1; @!%p1 bra out; add.s32 %r0, %r0, 10000;\nout:\n";
  const auto out = run_text(kernel_text(body + store_r0()), 1, 64);
  for (std::uint32_t t = 0; t < 64; ++t) CHECK(out[t] == t * (t + 1) / 2 + 10000);
}

TEST_CASE("Nested branches meet at their own joins") {
  const std::string body =
      "and.b32 %r1, %me, 1; and.b32 %r2, %me, 2; setp.ne.u32 %p0, %r1, 0; setp.ne.u32 %p1, %r2, 0; mov.u32 %r0, 0;\n"
      "@%p0 bra odd;\n@%p1 bra two; add.s32 %r0, %r0, 1; bra even_join;\ntwo: add.s32 %r0, %r0, 2;\n"
      "even_join: activemask.b32 %r3; popc.b32 %r3, %r3; mad.lo.s32 %r0, %r3, 100, %r0; bra join;\n"
      "odd: add.s32 %r0, %r0, 3;\njoin: activemask.b32 %r3; popc.b32 %r3, %r3; mad.lo.s32 %r0, %r3, 10000, %r0;\n";
  const auto out = run_text(kernel_text(body + store_r0()), 1, 32);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(out[t] == 320000u + (t % 2 != 0 ? 3u : 1600u + (t % 4 == 2 ? 2u : 1u)));
}

TEST_CASE("Lanes that leave early do not hold the others up") {
  const std::string body = "mov.u32 %r0, 7;\nsetp.ge.u32 %p0, %me, 20;\n" + store_r0() +
                           "@%p0 ret;\nbar.sync 0;\nactivemask.b32 %r0;\n" + store_r0();
  const auto out = run_text(kernel_text(body), 1, 40);
  for (std::uint32_t t = 0; t < 40; ++t) CHECK(out[t] == (t < 20 ? 0xfffffu : 7u));
}

TEST_CASE("A lane may wait for another lane of its own warp") {
  // Lane 0 spins on what lane 1 writes: progress needs more than one fragment to get a turn.
  const std::string body =
      ".shared .align 4 .u32 flag;\nmov.u32 %r0, 0; setp.eq.u32 %p0, %me, 0; setp.eq.u32 %p1, %me, 1;\n@%p0 st.shared.u32 [flag], 0;\nbar.sync 0;\n"
      "@!%p0 bra other;\nspin: ld.volatile.shared.u32 %r1, [flag]; setp.eq.u32 %p2, %r1, 0; @%p2 bra spin; mov.u32 %r0, %r1; bra join;\n"
      "other: @%p1 st.volatile.shared.u32 [flag], 42;\njoin: bar.warp.sync -1;\n";
  const auto out = run_text(kernel_text(body + store_r0()), 1, 32);
  CHECK(out[0] == 42);
}

TEST_CASE("shfl.sync brings divided lanes together") {
  const std::string body =
      "setp.lt.u32 %p0, %me, 16; mov.u32 %r1, %me;\n@%p0 bra low;\nadd.s32 %r1, %r1, 100; bra join;\nlow: add.s32 %r1, %r1, 200;\n"
      "join: shfl.sync.bfly.b32 %r0|%p1, %r1, 31, 31, -1;\n";
  const auto out = run_text(kernel_text(body + store_r0()), 1, 32);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(out[t] == (31 - t) + (31 - t < 16 ? 200 : 100));
}

TEST_CASE("Functions are expanded where they are called") {
  const std::string before =
      ".func (.param .b32 result) twice(.param .b32 x)\n{ .reg .b32 %a; .reg .pred %q; ld.param.b32 %a, [x]; setp.gt.u32 %q, %a, 20;\n"
      "@%q ret; add.s32 %a, %a, %a; st.param.b32 [result], %a; ret; }\n";
  const std::string body =
      "mov.u32 %r0, 0;\n{ .param .b32 p0; .param .b32 v; st.param.b32 [p0], %me; st.param.b32 [v], 5; call.uni (v), twice, (p0); ld.param.b32 %r0, [v]; }\n"
      "{ .param .b32 p0; .param .b32 v; st.param.b32 [p0], 3; call (v), twice, (p0); ld.param.b32 %r1, [v]; }\nadd.s32 %r0, %r0, %r1;\n";
  const auto out = run_text(kernel_text(body + store_r0(), before), 1, 32);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(out[t] == (t > 20 ? 5 : 2 * t) + 6);
}

TEST_CASE("brx.idx takes every lane to its own target") {
  const std::string body =
      "and.b32 %r1, %me, 3; mov.u32 %r0, 0;\ntable: .branchtargets a, b, c, a;\nbrx.idx %r1, table;\na: mov.u32 %r0, 10; bra join;\n"
      "b: mov.u32 %r0, 20; bra join;\nc: mov.u32 %r0, 30;\njoin: activemask.b32 %r2; popc.b32 %r2, %r2; add.s32 %r0, %r0, %r2;\n";
  const auto out = run_text(kernel_text(body + store_r0()), 1, 32);
  const std::uint32_t expected[] = {10, 20, 30, 10};
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(out[t] == expected[t % 4] + 32);
}

TEST_CASE("Grids, ragged blocks and special registers") {
  const std::string body = "mov.u32 %r0, %laneid; mov.u32 %r1, %warpid; mad.lo.s32 %r0, %r1, 100, %r0; mov.u32 %r1, %nctaid.x; mad.lo.s32 %r0, %r1, 10000, %r0;\n";
  const auto out = run_text(kernel_text(body + store_r0()), 20, 45);
  for (std::uint32_t t = 0; t < 45 * 20; ++t) CHECK(out[t] == 200000 + t % 45 / 32 * 100 + t % 45 % 32);
}

}  // namespace
}  // namespace xqacheck::ptx::test
