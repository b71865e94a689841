// Instructions that exchange values between the lanes of a warp.
#include <algorithm>

#include "emulation/ptx/forms/tables.hpp"

namespace xqacheck::ptx::forms {
namespace {

constexpr Width b32 = Width::b32, pred = Width::pred;
constexpr std::uint32_t kAll = 0xFFFFFFFF;

// f(all operands, all results): whole warps.
template <class Function>
Form warpwise(std::string name, std::vector<Operand> in, std::vector<Width> out, std::string body, Function f) {
  return {std::move(name), std::move(in), std::move(out), std::move(body),
          [f](std::span<const Warp> a, std::span<Warp> d) { f(a, d); }};
}

// shfl.sync: the segment mask is 0x1f - width + 1 in bits 8-12 of c, the clamp in bits 0-4 (PTX ISA, shfl.sync).
enum class Mode { up, down, bfly, idx };
auto shuffled(Mode mode, std::uint32_t c) {
  return [mode, c](std::span<const Warp> a, std::span<Warp> d) {
    const int segment = static_cast<int>(c >> 8 & 31), clamp = static_cast<int>(c & 31);
    for (int i = 0; i < 32; ++i) {
      const int b = static_cast<int>(a[1][i] & 31);
      const int max_lane = (i & segment) | (clamp & ~segment), min_lane = i & segment;
      int j = 0;
      bool valid = false;
      switch (mode) {
        case Mode::up:
          j = i - b;
          valid = j >= max_lane;
          break;
        case Mode::down:
          j = i + b;
          valid = j <= max_lane;
          break;
        case Mode::bfly:
          j = i ^ b;
          valid = j <= max_lane;
          break;
        case Mode::idx:
          j = min_lane | (b & ~segment & 31);
          valid = j <= max_lane;
          break;
      }
      d[0][i] = a[0][valid ? j : i];
      d[1][i] = valid;
    }
  };
}

void shuffles(std::vector<Form>& f) {
  for (const auto& [name, mode, clamp] : {std::tuple{"up", Mode::up, 0u},
                                          {"down", Mode::down, 31u},
                                          {"bfly", Mode::bfly, 31u},
                                          {"idx", Mode::idx, 31u}}) {
    for (const std::uint32_t segment : {0u, 24u}) {  // the whole warp; segments of eight lanes
      const std::string text = std::string("shfl.sync.") + name + ".b32";
      const std::uint32_t c = segment << 8 | clamp;
      // up, down and bfly take their distance from all 32 values too: what leaves the segment keeps its own value.
      f.push_back(warpwise(text + (segment ? "#width8" : ""), {w, any_lane}, {b32, pred},
                           text + " %d0|%d1, %a0, %a1, " + std::to_string(c) + ", -1;", shuffled(mode, c)));
    }
  }
}

void votes(std::vector<Form>& f) {
  const auto ballot = [](const Warp& a) {
    std::uint32_t bits = 0;
    for (int i = 0; i < 32; ++i) bits |= u32(a[i] & 1) << i;
    return bits;
  };
  f.push_back(warpwise("vote.sync.ballot.b32", {p}, {b32}, "vote.sync.ballot.b32 %d0, %a0, -1;",
                       [=](auto a, auto d) { d[0].fill(ballot(a[0])); }));
  f.push_back(warpwise("vote.sync.any.pred", {p}, {pred}, "vote.sync.any.pred %d0, %a0, -1;",
                       [=](auto a, auto d) { d[0].fill(ballot(a[0]) != 0); }));
  // Random flags are never all equal: a threshold on the lane's number makes the second form of each true.
  f.push_back(warpwise("vote.sync.all.pred", {p}, {pred}, "vote.sync.all.pred %d0, %a0, -1;",
                       [=](auto a, auto d) { d[0].fill(ballot(a[0]) == kAll); }));
  f.push_back(warpwise("vote.sync.all.pred#true", {any_lane}, {pred},
                       ".reg .pred p;\n  setp.lt.u32 p, %a0, 32;\n  vote.sync.all.pred %d0, p, -1;",
                       [=](auto, auto d) { d[0].fill(1); }));
  f.push_back(warpwise("vote.sync.uni.pred", {p}, {pred}, "vote.sync.uni.pred %d0, %a0, -1;",
                       [=](auto a, auto d) { d[0].fill(ballot(a[0]) == kAll || ballot(a[0]) == 0); }));
  f.push_back(warpwise("match.any.sync.b32", {any_lane}, {b32}, "match.any.sync.b32 %d0, %a0, -1;", [](auto a, auto d) {
    for (int i = 0; i < 32; ++i)
      for (int j = 0; j < 32; ++j) d[0][i] |= Bits{a[0][i] == a[0][j]} << j;
  }));
  f.push_back(warpwise("activemask.b32", {p}, {b32}, "activemask.b32 %d0;", [](auto, auto d) { d[0].fill(kAll); }));
  f.push_back(warpwise("elect.sync", {p}, {b32, pred}, "elect.sync %d0|%d1, -1;", [](auto, auto d) {
    d[0].fill(0);  // the ISA leaves the choice open; hardware elects the lowest lane
    d[1][0] = 1;
  }));
}

template <class Fold>
void reduction(std::vector<Form>& f, const std::string& name, Fold fold, Operand operand = w) {
  f.push_back(warpwise(name, {operand}, {b32}, name + " %d0, %a0, -1;", [fold](auto a, auto d) {
    Bits value = a[0][0];
    for (int i = 1; i < 32; ++i) value = fold(value, a[0][i]);
    d[0].fill(value & kAll);
  }));
}

}  // namespace

std::vector<Form> warp_forms() {
  std::vector<Form> f;
  shuffles(f);
  votes(f);
  reduction(f, "redux.sync.add.s32", [](Bits a, Bits b) { return a + b; });
  reduction(f, "redux.sync.max.s32", [](Bits a, Bits b) { return s32(a) > s32(b) ? a : b; });
  reduction(f, "redux.sync.min.u32", [](Bits a, Bits b) { return std::min(a, b); });
  reduction(f, "redux.sync.max.u32", [](Bits a, Bits b) { return std::max(a, b); });
  reduction(
      f, "redux.sync.or.b32", [](Bits a, Bits b) { return a | b; }, sparse);
  // Complements of single bits: the AND of random words would always be zero.
  f.push_back(warpwise("redux.sync.and.b32", {sparse}, {b32},
                       ".reg .b32 t;\n  not.b32 t, %a0;\n  redux.sync.and.b32 %d0, t, -1;", [](auto a, auto d) {
                         Bits value = kAll;
                         for (int i = 0; i < 32; ++i) value &= ~a[0][i];
                         d[0].fill(value & kAll);
                       }));
  return f;
}

}  // namespace xqacheck::ptx::forms
