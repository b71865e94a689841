// cvt with vector code of its own: the frequent scalar forms, and pairs (f16x2, bf16x2, e4m3x2).
#include "emulation/arith/array.hpp"
#include "emulation/arith/packed.hpp"
#include "emulation/arith/scalar.hpp"
#include "emulation/ptx/instructions/convert.hpp"
#include "emulation/ptx/instructions/lanewise.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using H = std::uint16_t;

W f32_of_bf16(H x) {
  return W{x} << 16;
}
W f32_of_s32(std::int32_t x) {
  return std::bit_cast<W>(static_cast<float>(x));
}
W f32_of_u32(W x) {
  return std::bit_cast<W>(static_cast<float>(x));
}
// To nearest even, NaN 0x7fff.
H bf16_of_f32(W x) {
  if ((x & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<H>((x + 0x7fffu + ((x >> 16) & 1)) >> 16);
}
// Toward zero.
H bf16_toward_zero(W x) {
  return (x & 0x7fffffffu) > 0x7f800000u ? H{0x7fff} : static_cast<H>(x >> 16);
}
W bf16_pair(W a, W b) {
  return W{bf16_of_f32(a)} << 16 | bf16_of_f32(b);
}
W bf16_pair_toward_zero(W a, W b) {
  return W{bf16_toward_zero(a)} << 16 | bf16_toward_zero(b);
}
W f16_pair_toward_zero(W a, W b) {
  return W{arith::cvt_rz_f16_f32(a)} << 16 | arith::cvt_rz_f16_f32(b);
}

Step run_f16_pair(Warp& warp, const Inst& inst, LaneMask active) {
  H high[32], low[32];
  arith::f32_to_f16_array(warp.words(inst.a), high, 32);
  arith::f32_to_f16_array(warp.words(inst.b), low, 32);
  write<W>(warp, inst.d, active, [&](unsigned lane) { return W{high[lane]} << 16 | low[lane]; });
  return Step::next;
}
Step run_f16(Warp& warp, const Inst& inst, LaneMask active) {
  H result[32];
  arith::f32_to_f16_array(warp.words(inst.a), result, 32);
  write<H>(warp, inst.d, active, [&](unsigned lane) { return result[lane]; });
  return Step::next;
}
Step run_f32_of_f16(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<H>(warp, inst.a);
  H source[32];
  W result[32];
  XQACHECK_EVERY_LANE source[lane] = a[lane];
  arith::f16_to_f32_array(source, result, 32);
  write<W>(warp, inst.d, active, [&](unsigned lane) { return result[lane]; });
  return Step::next;
}
Step run_f16_of_e4m3(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<H>(warp, inst.a);
  H pairs[32], result[64];
  XQACHECK_EVERY_LANE pairs[lane] = a[lane];
  arith::e4m3_to_f16_array(reinterpret_cast<const std::uint8_t*>(pairs), result, 64);
  write<W>(warp, inst.d, active, [&](unsigned lane) { return W{result[2 * lane + 1]} << 16 | result[2 * lane]; });
  return Step::next;
}
Step run_e4m3_of_f32(Warp& warp, const Inst& inst, LaneMask active) {
  std::uint8_t high[32], low[32];
  arith::f32_to_e4m3_array(warp.words(inst.a), high, 32);
  arith::f32_to_e4m3_array(warp.words(inst.b), low, 32);
  write<H>(warp, inst.d, active, [&](unsigned lane) { return static_cast<H>(high[lane] << 8 | low[lane]); });
  return Step::next;
}

}  // namespace

bool decode_pair_conversion(Decoder& d, Type to, Type from, bool rz, bool satfinite) {
  if (from == Type::f32 && (to == Type::f16x2 || to == Type::bf16x2 || to == Type::e4m3x2)) {
    d.expect_operands(3, 3);
    d.inst.a = d.source(1, Type::f32), d.inst.b = d.source(2, Type::f32);
    d.inst.d = d.destination(0, to == Type::e4m3x2 ? Type::b16 : Type::b32);
    if (to == Type::e4m3x2) {
      if (!satfinite || rz) d.fail("only .rn.satfinite is supported");
      d.inst.run = run_e4m3_of_f32;
    } else if (satfinite) {
      d.fail(".satfinite is not supported for this type");
    } else if (to == Type::f16x2) {
      d.inst.run = rz ? Handler(each_lane2<W, W, W, f16_pair_toward_zero>) : Handler(run_f16_pair);
    } else {
      d.inst.run = rz ? lanewise2<W, W, W, bf16_pair_toward_zero> : lanewise2<W, W, W, bf16_pair>;
    }
    return true;
  }
  if (to == Type::e4m3x2 && from == Type::f16x2 && satfinite && !rz) {
    d.expect_operands(2, 2);
    d.inst.a = d.source(1, Type::b32);
    d.inst.d = d.destination(0, Type::b16);
    d.inst.run = each_lane1<H, W, arith::cvt_rn_satfinite_e4m3x2_f16x2>;
    return true;
  }
  if (to == Type::f16x2 && from == Type::e4m3x2 && !rz) {
    d.expect_operands(2, 2);
    d.inst.a = d.source(1, Type::b16);
    d.inst.d = d.destination(0, Type::b32);
    d.inst.run = run_f16_of_e4m3;
    return true;
  }
  return false;
}

Handler frequent_conversion(Type to, Type from, const Conversion& c) {
  if (c.integral || c.saturate || c.ftz) return nullptr;
  const bool rn = c.round == Round::rn;
  if (to == Type::f32 && from == Type::f16) return run_f32_of_f16;
  if (to == Type::f32 && from == Type::bf16) return lanewise1<W, H, f32_of_bf16>;
  if (to == Type::f32 && from == Type::s32 && rn) return lanewise1<W, std::int32_t, f32_of_s32>;
  if (to == Type::f32 && from == Type::s16 && rn) return lanewise1<W, std::int16_t, f32_of_s32>;
  if (to == Type::f32 && from == Type::u32 && rn) return lanewise1<W, W, f32_of_u32>;
  if (to == Type::f16 && from == Type::f32 && rn) return run_f16;
  if (to == Type::bf16 && from == Type::f32)
    return rn ? lanewise1<H, W, bf16_of_f32> : lanewise1<H, W, bf16_toward_zero>;
  if (to == Type::bf16 && from == Type::s32 && rn) return each_lane1<H, std::int32_t, arith::cvt_rn_bf16_s32>;
  if (to == Type::f16 && from == Type::s32 && rn) return each_lane1<H, std::int32_t, arith::cvt_rn_f16_s32>;
  return nullptr;
}

}  // namespace xqacheck::ptx
