// CTAs on threads: the same memory and the same faults as one after the other.
#include "emulation/ptx/machine/apart.hpp"

#include "emulation/ptx/schedule/schedule.hpp"
#include "tests/catch.hpp"
#include "tests/emulation/ptx/small_kernel.hpp"

namespace xqacheck::ptx::test {
namespace {

constexpr std::uint32_t kCtas = 40, kThreads = 64;
constexpr std::uint32_t kWords = kCtas * kThreads;

struct Result {
  std::vector<std::uint32_t> words;
  std::uint64_t instructions = 0;
  std::string fault;
  bool operator==(const Result&) const = default;
};

// Behind the words of `kernel_text` lie as many more, zero: counters and flags.
Result run(const std::string& text, std::uint32_t threads) {
  Machine machine;
  const auto schedule = make_schedule({});
  machine.set_schedule(schedule.get());
  machine.set_threads(threads);
  LoadedModule module(machine, parse(text, "test.ptx"));
  const std::uint64_t bytes = 2 * kWords * 4, out = machine.memory().allocate(bytes, 256, "out");
  const std::uint32_t n = kWords * 4;  // offset of the second half
  Launch launch;
  launch.program = module.kernel("kernel");
  launch.grid = {kCtas, 1, 1}, launch.block = {kThreads, 1, 1};
  launch.parameters.resize(12);
  std::memcpy(launch.parameters.data(), &out, 8);
  std::memcpy(launch.parameters.data() + 8, &n, 4);
  Result result;
  try {
    machine.run({launch, launch});  // the second begins with what the first left
  } catch (const MachineFault& fault) {
    result.fault = fault.what();
  }
  result.instructions = machine.instructions();
  result.words.resize(bytes / 4);
  std::memcpy(result.words.data(), machine.memory().at(out, bytes), bytes);
  return result;
}

// Address of the counters in %rd9.
constexpr const char* kCounters = "cvt.u64.u32 %rd9, %n; add.s64 %rd9, %rd9, %out;\n";

// Neighbours within the CTA through shared memory: nothing that another CTA could see.
const std::string kIndependent =
    ".shared .align 4 .b32 box[64];\nshl.b32 %r1, %me, 2; mov.u32 %r2, box; add.s32 %r1, %r1, %r2; st.shared.u32 "
    "[%r1], %t;\nbar.sync 0;\n"
    "xor.b32 %r3, %me, 63; shl.b32 %r3, %r3, 2; add.s32 %r3, %r3, %r2; ld.shared.u32 %r0, [%r3];\nmov.u32 %r5, 0;\n"
    "loop: mad.lo.s32 %r0, %r0, 1664525, 1013904223; add.s32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 200; @%p0 bra loop;\n" +
    store_r0();

// Each CTA stores, counts itself with thread 0, and the last one adds up what all have stored.
const std::string kLastAdds = std::string(kCounters) + ".shared .b32 last;\nmad.lo.s32 %r0, %t, 7, 3;\n" + store_r0() +
                              "bar.sync 0; setp.ne.u32 %p0, %me, 0; @%p0 bra counted;\nmembar.gl; mov.u32 %r6, 39; "
                              "atom.global.inc.u32 %r5, [%rd9], %r6; membar.gl; st.shared.u32 [last], %r5;\n"
                              "counted: bar.sync 0; ld.shared.u32 %r5, [last]; setp.ne.u32 %p1, %r5, 39; @%p1 bra "
                              "done; setp.ne.u32 %p0, %me, 0; @%p0 bra done;\n"
                              "mov.u32 %r7, 0; mov.u32 %r8, 0; mov.u64 %rd10, %out;\n"
                              "add: ld.global.u32 %r9, [%rd10]; add.s32 %r7, %r7, %r9; add.s64 %rd10, %rd10, 4; "
                              "add.s32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 2560; @%p2 bra add;\n"
                              "st.global.u32 [%rd9+4], %r7;\ndone:\n";

// Every CTA but the first waits for the one before it and hands on; sums of fp32 depend on the order.
const std::string kChain =
    std::string(kCounters) +
    "setp.ne.u32 %p0, %me, 0; @%p0 bra done; setp.eq.u32 %p1, %r38, 0; @%p1 bra go;\n"
    "spin: ld.acquire.gpu.global.u32 %r1, [%rd9]; rem.u32 %r1, %r1, 40; setp.ne.u32 %p2, %r1, %r38; @%p2 bra spin;\n"
    "go: ld.global.f32 %f1, [%rd9+4]; cvt.rn.f32.u32 %f2, %r38; fma.rn.f32 %f1, %f1, 0f3F9D70A4, %f2; st.global.f32 "
    "[%rd9+4], %f1;\n"
    "membar.gl; atom.global.add.u32 %r2, [%rd9], 1;\ndone:\n";

// Who comes first shows: in the order of additions of fp32, in old values, in clocks.
const std::string kOrder = std::string(kCounters) +
                           "setp.ne.u32 %p0, %me, 0; @%p0 bra done; cvt.rn.f32.u32 %f1, %t; mul.f32 %f1, %f1, "
                           "0f3DCCCCCD; atom.global.add.f32 %f2, [%rd9], %f1;\n"
                           "mov.b32 %r0, %f2; mov.u32 %r1, %clock; xor.b32 %r0, %r0, %r1;\n" +
                           store_r0() + "done:\n";

TEST_CASE("CTAs on threads leave the same memory as one after the other", "[apart]") {
  for (const std::string& body : {kIndependent, kLastAdds, kChain}) {
    const std::string text = kernel_text(body);
    const Result alone = run(text, 0);
    CHECK(alone.fault.empty());
    for (const std::uint32_t threads : {1u, 2u, 3u, 8u})
      for (int again = 0; again < 3; ++again) CHECK(run(text, threads).words == alone.words);
  }
  // By hand: the sum of 7 t + 3 over all threads, mod 2^32.
  CHECK(run(kernel_text(kLastAdds), 2).words[kWords + 1] == 7u * (kWords * (kWords - 1) / 2) + 3u * kWords);
  CHECK(run(kernel_text(kLastAdds), 2).words[kWords] == 0);  // the counter has wrapped
}

TEST_CASE("What depends on the order of CTAs does not depend on the number of threads", "[apart]") {
  const Result one = run(kernel_text(kOrder), 1);
  CHECK(one.fault.empty());
  for (const std::uint32_t threads : {2u, 3u, 8u})
    for (int again = 0; again < 3; ++again) CHECK(run(kernel_text(kOrder), threads) == one);
}

TEST_CASE("Faults on threads are those of the first CTA that has one", "[apart]") {
  const std::string trap = kernel_text("setp.lt.u32 %p0, %r38, 5; @%p0 bra done; trap; done:\n");
  const std::string stray = kernel_text(
      "setp.lt.u32 %p0, %r38, 5; @%p0 bra done; add.s64 %rd1, %out, 1048576; ld.global.u32 %r0, [%rd1]; done:\n");
  const std::string stuck = kernel_text(
      "setp.lt.u32 %p0, %me, 32; @%p0 bra other; bar.sync 1, 64; bra done;\nother: bar.sync 2, 64;\ndone:\n");
  for (const std::string& text : {trap, stray, stuck}) {
    const std::string fault = run(text, 0).fault;
    CHECK(!fault.empty());
    for (const std::uint32_t threads : {1u, 2u, 8u}) CHECK(run(text, threads).fault == fault);
  }
  CHECK(run(stray, 2).fault.find("CTA 5,") != std::string::npos);
}

TEST_CASE("Places where CTAs meet", "[apart]") {
  Machine machine;
  LoadedModule module(machine,
                      parse(kernel_text(".shared .align 4 .b32 box;\nld.global.u32 %r0, [%out]; st.global.u32 [%out], "
                                        "%r0; ld.shared.u32 %r1, [box]; atom.shared.add.u32 %r1, [box], 1;\n"
                                        "ld.volatile.shared.u32 %r2, [box]; membar.gl;\n"
                                        "atom.global.add.u32 %r1, [%out], 1; red.global.add.u32 [%out], 1; "
                                        "ld.volatile.global.u32 %r2, [%out]; st.release.gpu.global.u32 [%out], %r2;\n"
                                        "mov.u32 %r3, %clock; trap;\n"),
                            "test.ptx"));
  const auto program = module.kernel("kernel");
  const std::vector<std::uint8_t> places = meeting_places(*program);
  std::vector<std::string> meeting;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] != 0) meeting.push_back(program->texts[i].substr(0, program->texts[i].find(' ')));
  REQUIRE(meeting.size() == 6);
  CHECK(meeting[0].starts_with("atom.global"));
  CHECK(meeting[1].starts_with("red.global"));
  CHECK(meeting[2].starts_with("ld.volatile.global"));
  CHECK(meeting[3].starts_with("st.release"));
  CHECK(meeting[4].starts_with("mov"));
  CHECK(meeting[5] == "trap");
}

}  // namespace
}  // namespace xqacheck::ptx::test
