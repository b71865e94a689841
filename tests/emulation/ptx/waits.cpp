// Barriers, mbarriers, deadlock, livelock, faults of the machine itself (no monitor).
#include "tests/catch.hpp"
#include "tests/emulation/ptx/small_kernel.hpp"

namespace xqacheck::ptx::test {
namespace {

std::string fault_of(const std::string& text, std::uint32_t threads, MachineOptions options = {}) {
  try {
    run_text(text, 1, threads, 0, 0, nullptr, options);
    return "";
  } catch (const MachineFault& fault) {
    return fault.what();
  }
}

TEST_CASE("bar.sync hands values from warp to warp") {
  const std::string body =
      ".shared .align 4 .b32 box[128];\nshl.b32 %r1, %me, 2; mov.u32 %r2, box; add.s32 %r1, %r1, %r2; st.shared.u32 [%r1], %me;\nbar.sync 0;\n"
      "sub.s32 %r3, 127, %me; shl.b32 %r3, %r3, 2; add.s32 %r3, %r3, %r2; ld.shared.u32 %r0, [%r3];\n";
  const auto out = run_text(kernel_text(body + store_r0()), 3, 128);
  for (std::uint32_t t = 0; t < 384; ++t) CHECK(out[t] == 127 - t % 128);
}

TEST_CASE("bar.red counts predicates; named barriers count threads") {
  const std::string body =
      "setp.lt.u32 %p0, %me, 37; bar.red.popc.u32 %r0, 1, %p0;\nbar.red.and.pred %p1, 2, %p0; bar.red.or.pred %p2, 3, !%p0;\n"
      "selp.b32 %r1, 1000, 0, %p1; add.s32 %r0, %r0, %r1; selp.b32 %r1, 100, 0, %p2; add.s32 %r0, %r0, %r1;\n"
      "setp.ge.u32 %p3, %me, 64; @%p3 bra late;\nbar.sync 4, 64;\nlate:\n";
  const auto out = run_text(kernel_text(body + store_r0()), 1, 96);
  for (std::uint32_t t = 0; t < 96; ++t) CHECK(out[t] == 137);
}

TEST_CASE("Warps that wait for nobody are a deadlock with the state of each") {
  const std::string text = fault_of(kernel_text("setp.lt.u32 %p0, %me, 32; @%p0 bra other; bar.sync 1, 64; bra done;\nother: bar.sync 2, 64;\ndone:\n"), 64);
  CHECK(text.find("deadlock: no warp can make progress") != std::string::npos);
  CHECK(text.find("warp 0 lanes ffffffff waits at a barrier") != std::string::npos);
  CHECK(text.find("warp 1 lanes ffffffff waits at a barrier at test.ptx:") != std::string::npos);
}

TEST_CASE("A wait for an mbarrier that nobody arrives at is a livelock") {
  const std::string body =
      ".shared .align 8 .b64 barrier;\nsetp.eq.u32 %p0, %me, 0; @%p0 mbarrier.init.shared.b64 [barrier], 2;\nbar.sync 0;\n"
      "@%p0 mbarrier.arrive.shared.b64 _, [barrier];\nspin: mbarrier.try_wait.parity.shared.b64 %p1, [barrier], 0; @!%p1 bra spin;\n";
  CHECK(fault_of(kernel_text(body), 32).find("livelock") != std::string::npos);
}

TEST_CASE("mbarrier phases by parity and by token") {
  const std::string body =
      ".shared .align 8 .b64 barrier; .shared .align 4 .u32 value;\nsetp.eq.u32 %p0, %me, 0; mov.u32 %r0, 0;\n"
      "@%p0 mbarrier.init.shared.b64 [barrier], 64;\nbar.sync 0;\n@%p0 st.shared.u32 [value], 9;\n"
      "mbarrier.arrive.shared.b64 %rd0, [barrier];\nw0: mbarrier.try_wait.shared.b64 %p1, [barrier], %rd0; @!%p1 bra w0;\n"
      "ld.shared.u32 %r0, [value];\nmbarrier.arrive.shared.b64 %rd0, [barrier];\nw1: mbarrier.try_wait.parity.shared.b64 %p1, [barrier], 1; @!%p1 bra w1;\n"
      "mbarrier.test_wait.parity.shared.b64 %p2, [barrier], 0; selp.b32 %r1, 100, 0, %p2; add.s32 %r0, %r0, %r1;\n";
  const auto out = run_text(kernel_text(body + store_r0()), 2, 64);
  // Two phases have ended: the parity of the current one is 0, so a wait for the end of "phase of parity 0" fails again.
  for (const std::uint32_t value : out) CHECK(value == 9);
}

TEST_CASE("Accesses outside allocations stop the machine with place and neighbour") {
  const std::string over = "mul.wide.u32 %rd0, %t, 4; add.s64 %rd0, %rd0, %out; st.global.u32 [%rd0+4], %me;\n";
  const std::string text = fault_of(kernel_text(over), 32);
  CHECK(text.find("kernel: test.ptx:10 'st.global.u32': out-of-bounds store of 4 bytes at global address") != std::string::npos);
  CHECK(text.find("0 bytes behind the end of out (128 bytes)) (CTA 0, warp 0, lane 31)") != std::string::npos);
  CHECK(fault_of(kernel_text("ld.global.u32 %r0, [%out+2];"), 1).find("misaligned load of 4 bytes") != std::string::npos);
  CHECK(fault_of(kernel_text("mov.u32 %r1, 4096; st.shared.u32 [%r1], %r1;"), 1).find("shared address 0x1000") != std::string::npos);
  CHECK(fault_of(kernel_text("trap;"), 1).find("'trap': trap") != std::string::npos);
}

TEST_CASE("Launches that no GPU takes are refused") {
  CHECK(fault_of(kernel_text(""), 1025).find("1 to 1024") != std::string::npos);
  try {
    run_text(kernel_text(""), 1, 32, 0, 300 << 10);
    FAIL("300 KiB of shared memory were accepted");
  } catch (const MachineFault& fault) {
    CHECK(std::string(fault.what()).find("a CTA has at most 232448") != std::string::npos);
  }
}

}  // namespace
}  // namespace xqacheck::ptx::test
