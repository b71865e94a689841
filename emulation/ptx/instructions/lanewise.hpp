// Handlers made from a function of one lane: destination d, sources a, b, c. D is the type of the result, A, B, C those
// of the sources.
#pragma once

#include "emulation/ptx/machine/lanes.hpp"

namespace xqacheck::ptx {

template <class D, class A, auto F>
Step lanewise1(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<A>(warp, inst.a);
  write<D>(warp, inst.d, active, [&](unsigned lane) { return static_cast<D>(F(a[lane])); });
  return Step::next;
}

template <class D, class A, class B, auto F>
Step lanewise2(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<A>(warp, inst.a);
  const auto b = read<B>(warp, inst.b);
  write<D>(warp, inst.d, active, [&](unsigned lane) { return static_cast<D>(F(a[lane], b[lane])); });
  return Step::next;
}

template <class D, class A, class B, class C, auto F>
Step lanewise3(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<A>(warp, inst.a);
  const auto b = read<B>(warp, inst.b);
  const auto c = read<C>(warp, inst.c);
  write<D>(warp, inst.d, active, [&](unsigned lane) { return static_cast<D>(F(a[lane], b[lane], c[lane])); });
  return Step::next;
}

// For costly functions: only the lanes that take part.
template <class D, class A, auto F>
Step each_lane1(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<A>(warp, inst.a);
  auto* out = reinterpret_cast<Stored<D>*>(warp.words(inst.d));
  each(active, [&](unsigned lane) { out[lane] = stored<D>(static_cast<D>(F(a[lane]))); });
  return Step::next;
}

template <class D, class A, class B, auto F>
Step each_lane2(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<A>(warp, inst.a);
  const auto b = read<B>(warp, inst.b);
  auto* out = reinterpret_cast<Stored<D>*>(warp.words(inst.d));
  each(active, [&](unsigned lane) { out[lane] = stored<D>(static_cast<D>(F(a[lane], b[lane]))); });
  return Step::next;
}

template <class D, class A, class B, class C, auto F>
Step each_lane3(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<A>(warp, inst.a);
  const auto b = read<B>(warp, inst.b);
  const auto c = read<C>(warp, inst.c);
  auto* out = reinterpret_cast<Stored<D>*>(warp.words(inst.d));
  each(active, [&](unsigned lane) { out[lane] = stored<D>(static_cast<D>(F(a[lane], b[lane], c[lane]))); });
  return Step::next;
}

}  // namespace xqacheck::ptx
