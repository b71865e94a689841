// Barriers, branches, fences, dependencies of grids, clocks: their effect is that the values around them are right.
#include <algorithm>

#include "emulation/ptx/forms/tables.hpp"

namespace xqacheck::ptx::forms {
namespace {

constexpr Width b32 = Width::b32, pred = Width::pred;

// Lane i stores, synchronises by `step`, and reads what lane i ^ 1 stored.
Form exchange(const std::string& name, const std::string& step) {
  return {name,
          {w},
          {b32},
          ".reg .b32 at;\n  st.shared.u32 [%shared], %a0;\n  " + step +
              "\n  xor.b32 at, %lane, 1;\n  mad.lo.u32 at, at, 64, %warps;\n  ld.shared.u32 %d0, [at];",
          [](std::span<const Warp> in, std::span<Warp> out) {
            for (int i = 0; i < 32; ++i) out[0][i] = in[0][i ^ 1];
          }};
}

Form identity(const std::string& name, const std::string& step) {
  return lanewise(
      name, b32, {w}, [](Lane a) { return a[0]; }, step + "\n  mov.b32 %d0, %a0;");
}

// Odd and even lanes take different ways and meet again.
Form branch(const std::string& name, const std::string& body) {
  return lanewise(
      name, b32, {w}, [](Lane a) { return a[0] & 1 ? 3 * a[0] : a[0] + 7; }, body);
}

}  // namespace

std::vector<Form> barrier_forms() {
  std::vector<Form> f;
  f.push_back(exchange("bar.warp.sync", "bar.warp.sync -1;"));
  f.push_back(exchange("bar.sync", "bar.sync 0;"));
  f.push_back(exchange("bar.sync#id-count", "bar.sync 3, 128;"));
  f.push_back(exchange("barrier.sync", "barrier.sync 2;"));
  f.push_back(exchange("barrier.sync.aligned", "barrier.sync.aligned 1, 128;"));
  f.push_back(exchange("fence.acq_rel.cta", "fence.acq_rel.cta;\n  bar.warp.sync -1;"));
  // Producer and consumer: everybody arrives at 4 and waits at 5; each barrier has 128 threads.
  f.push_back(exchange("bar.arrive", "bar.arrive 4, 256;\n  bar.sync 4, 256;"));
  f.push_back({"bar.red.popc.u32",
               {p},
               {b32},
               ".reg .pred t;\n  setp.ne.u32 t, %lane, 5;\n  bar.red.popc.u32 %d0, 0, t;",
               [](std::span<const Warp>, std::span<Warp> out) { out[0].fill(124); }});  // 31 of each of four warps
  f.push_back({"bar.red.or.pred",
               {p},
               {pred},
               ".reg .pred t;\n  setp.eq.u32 t, %lane, 5;\n  bar.red.or.pred %d0, 0, t;",
               [](std::span<const Warp>, std::span<Warp> out) { out[0].fill(1); }});
  f.push_back(
      branch("bra",
             ".reg .pred t;\n  .reg .b32 low;\n  and.b32 low, %a0, 1;\n  setp.eq.u32 t, low, 0;\n  @t bra EVEN;\n"
             "  mul.lo.s32 %d0, %a0, 3;\n  bra.uni DONE;\nEVEN:\n  add.s32 %d0, %a0, 7;\nDONE:\n"));
  f.push_back(lanewise(
      "bra.uni", b32, {w}, [](Lane a) { return a[0] + 5; },
      ".reg .pred t;\n  .reg .b32 i;\n  mov.u32 i, 0;\n  mov.b32 %d0, %a0;\nAGAIN:\n  add.s32 %d0, %d0, 1;\n  add.s32 "
      "i, i, 1;\n"
      "  setp.lt.u32 t, i, 5;\n  @t bra AGAIN;\n  bra.uni OUT;\n  mov.u32 %d0, 0;\nOUT:\n"));
  // A loop whose length differs from lane to lane.
  f.push_back(lanewise(
      "bra#loop", b32, {any_lane}, [](Lane a) { return a[0] * (a[0] + 1) / 2; },
      ".reg .pred t;\n  .reg .b32 i;\n  mov.u32 i, 0;\n  mov.u32 %d0, 0;\nAGAIN:\n  add.s32 %d0, %d0, i;\n  add.s32 i, "
      "i, 1;\n"
      "  setp.le.u32 t, i, %a0;\n  @t bra AGAIN;\n"));
  // Lanes that return before the stores: outputs stay zero.
  f.push_back(lanewise(
      "ret", b32, {w}, [](Lane a) { return a[0] & 1 ? 0 : a[0]; },
      ".reg .pred t;\n  .reg .b32 low;\n  and.b32 low, %a0, 1;\n  setp.ne.u32 t, low, 0;\n  mov.b32 %d0, %a0;\n  @t "
      "ret;"));
  f.push_back(lanewise(
      "exit", b32, {w}, [](Lane a) { return a[0] & 1 ? 0 : a[0]; },
      ".reg .pred t;\n  .reg .b32 low;\n  and.b32 low, %a0, 1;\n  setp.ne.u32 t, low, 0;\n  mov.b32 %d0, %a0;\n  @t "
      "exit;"));
  f.push_back(identity("griddepcontrol.wait", "griddepcontrol.wait;"));
  f.push_back(identity("griddepcontrol.launch_dependents", "griddepcontrol.launch_dependents;"));
  f.push_back(identity("fence.acq_rel.gpu", "fence.acq_rel.gpu;"));
  f.push_back(identity("fence.sc.gpu", "fence.sc.gpu;"));
  f.push_back(identity("membar.gl", "membar.gl;"));
  f.push_back(identity("fence.proxy.async.shared::cta", "fence.proxy.async.shared::cta;"));
  f.push_back(identity("nanosleep.u32", "nanosleep.u32 20;"));
  // Clocks never run backwards.
  f.push_back(lanewise(
      "mov.u64#clock64", pred, {p}, [](Lane) { return 1; },
      ".reg .u64 begin, end;\n  mov.u64 begin, %clock64;\n  mov.u64 end, %clock64;\n  setp.ge.u64 %d0, end, begin;"));
  f.push_back(lanewise(
      "mov.u32#laneid", pred, {lane_id}, [](Lane) { return 1; },
      ".reg .b32 own;\n  mov.u32 own, %laneid;\n  setp.eq.u32 %d0, own, %a0;"));
  return f;
}

}  // namespace xqacheck::ptx::forms
