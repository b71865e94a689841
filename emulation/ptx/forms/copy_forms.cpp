// Asynchronous copies from global to shared memory, and the mbarriers that tell of their end.
#include "emulation/ptx/forms/tables.hpp"

namespace xqacheck::ptx::forms {
namespace {

constexpr Width b32 = Width::b32, pred = Width::pred;

// Operands go to global scratch by plain stores, then through the asynchronous copy into shared memory and back.
std::string stage(std::size_t words) {
  std::string text;
  for (std::size_t i = 0; i < words; ++i)
    text += "  st.global.u32 [%global+" + std::to_string(16 + 4 * i) + "], %a" + std::to_string(i) + ";\n";
  return text;
}
std::string fetch(std::size_t words) {
  std::string text;
  for (std::size_t i = 0; i < words; ++i)
    text += "  ld.shared.u32 %d" + std::to_string(i) + ", [%shared+" + std::to_string(16 + 4 * i) + "];\n";
  return text;
}

Form copy(const std::string& name, std::size_t words, const std::string& sizes, const std::string& wait,
          const std::string& shown = "") {
  return {shown.empty() ? name : shown, std::vector<Operand>(words, w), std::vector<Width>(words, b32),
          stage(words) + "  " + name + " [%shared+16], [%global+16], " + sizes + ";\n" + wait + fetch(words),
          copy_through};
}

const char* const kGroup = "  cp.async.commit_group;\n  cp.async.wait_group 0;\n";

// The first lane's scratch holds the warp's mbarrier (in its first eight bytes; copies begin 16 bytes after).
std::string with_mbarrier(const std::string& count, const std::string& steps) {
  return ".reg .pred p, done;\n  .reg .b64 state;\n  setp.eq.u32 p, %lane, 0;\n  @p mbarrier.init.shared.b64 "
         "[%warps], " +
         count + ";\n  bar.warp.sync -1;\n" + steps;
}

std::string wait(const char* instruction, const char* phase) {
  return std::string("WAIT:\n  ") + instruction + " done, [%warps], " + phase + ";\n  @!done bra WAIT;\n";
}

}  // namespace

std::vector<Form> copy_forms() {
  std::vector<Form> f;
  f.push_back(copy("cp.async.cg.shared.global", 4, "16", kGroup));
  f.push_back(copy("cp.async.ca.shared.global", 4, "16", kGroup, "cp.async.ca.shared.global#16"));
  f.push_back(copy("cp.async.ca.shared.global", 2, "8", kGroup, "cp.async.ca.shared.global#8"));
  f.push_back(copy("cp.async.ca.shared.global", 1, "4", kGroup));
  f.push_back(copy("cp.async.cg.shared.global", 4, "16", "  cp.async.wait_all;\n", "cp.async.wait_all"));
  f.push_back(copy("cp.async.cg.shared.global.L2::128B", 4, "16", kGroup));
  // src-size below the copy's: the rest is zeros.
  Form partial = copy("cp.async.cg.shared.global", 4, "16, 8", kGroup, "cp.async.cg.shared.global#src-size");
  partial.expected = [](std::span<const Warp> in, std::span<Warp> out) { out[0] = in[0], out[1] = in[1]; };
  f.push_back(partial);
  // Two groups; the wait leaves the younger one, whose words are then waited for too.
  f.push_back({"cp.async.wait_group",
               {w, w},
               {b32, b32},
               stage(2) + "  cp.async.ca.shared.global [%shared+16], [%global+16], 4;\n  cp.async.commit_group;\n"
                          "  cp.async.ca.shared.global [%shared+20], [%global+20], 4;\n  cp.async.commit_group;\n"
                          "  cp.async.wait_group 1;\n  ld.shared.u32 %d0, [%shared+16];\n  cp.async.wait_group 0;\n  "
                          "ld.shared.u32 %d1, [%shared+20];",
               copy_through});
  f.push_back({"cp.async.commit_group",
               {w},
               {b32},
               "cp.async.commit_group;\n" + stage(1) + "  cp.async.ca.shared.global [%shared+16], [%global+16], 4;\n" +
                   kGroup + fetch(1),
               copy_through});

  const std::string init = "32", copied = stage(4) + "  cp.async.cg.shared.global [%shared+16], [%global+16], 16;\n";
  const char* const parity = "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64";
  f.push_back({"cp.async.mbarrier.arrive.noinc.shared.b64",
               {w, w, w, w},
               {b32, b32, b32, b32},
               with_mbarrier(init, copied + "  cp.async.mbarrier.arrive.noinc.shared.b64 [%warps];\n" +
                                       wait(parity, "0") + fetch(4)),
               copy_through});
  // Without .noinc the copy raises the pending count first: each lane must arrive by itself as well.
  f.push_back(
      {"cp.async.mbarrier.arrive.shared.b64",
       {w, w, w, w},
       {b32, b32, b32, b32},
       with_mbarrier(
           init,
           copied + "  cp.async.mbarrier.arrive.shared.b64 [%warps];\n  mbarrier.arrive.shared.b64 state, [%warps];\n" +
               wait(parity, "0") + fetch(4)),
       copy_through});
  // Values handed to the neighbour under the mbarrier's protection.
  const std::string give = "  st.shared.u32 [%shared+16], %a0;\n";
  const std::string take =
      ".reg .b32 at;\n  xor.b32 at, %lane, 1;\n  mad.lo.u32 at, at, 64, %warps;\n  ld.shared.u32 %d0, [at+16];\n";
  const auto neighbour = [](std::span<const Warp> in, std::span<Warp> out) {
    for (int i = 0; i < 32; ++i) out[0][i] = in[0][i ^ 1];
  };
  const auto exchange = [&](const std::string& name, const std::string& arrive, const std::string& waiting) {
    f.push_back({name, {w}, {b32}, with_mbarrier(init, give + arrive + waiting + take), neighbour});
  };
  const std::string arrive = "  mbarrier.arrive.release.cta.shared::cta.b64 state, [%warps];\n";
  exchange("mbarrier.arrive.release.cta.b64", arrive, wait(parity, "0"));
  exchange("mbarrier.try_wait.parity.acquire.cta.b64", arrive, wait(parity, "0"));
  exchange("mbarrier.try_wait.acquire.cta.b64", arrive, wait("mbarrier.try_wait.acquire.cta.shared::cta.b64", "state"));
  exchange("mbarrier.test_wait.parity.acquire.cta.b64", arrive,
           wait("mbarrier.test_wait.parity.acquire.cta.shared::cta.b64", "0"));
  exchange("mbarrier.test_wait.shared.b64", arrive, wait("mbarrier.test_wait.shared.b64", "state"));
  exchange("mbarrier.arrive.expect_tx.release.cta.b64",
           "  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [%warps], 0;\n", wait(parity, "0"));
  exchange("mbarrier.inval.b64", arrive,
           wait(parity, "0") + "  bar.warp.sync -1;\n  @p mbarrier.inval.shared.b64 [%warps];\n");
  // Two phases: parity 0, then parity 1.
  exchange("mbarrier.init.b64", arrive + wait(parity, "0") + arrive,
           "WAIT1:\n  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 done, [%warps], 1;\n  @!done bra WAIT1;\n");
  // Before the phase ends, a test of its parity is false; a test of the other parity (the phase before) is true.
  f.push_back({"mbarrier.test_wait.parity.acquire.cta.b64#before",
               {p},
               {pred, pred},
               with_mbarrier("33",
                             "  mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %d0, [%warps], 0;\n"
                             "  mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %d1, [%warps], 1;\n"),
               [](std::span<const Warp>, std::span<Warp> out) { out[1].fill(1); }});
  return f;
}

}  // namespace xqacheck::ptx::forms
