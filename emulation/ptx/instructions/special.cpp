// ex2, lg2, rcp, rsqrt, sqrt and div of f32: the MUFU models of emulation/arith, and correctly rounded forms.
//
// rsqrt.approx of a value that ptxas knows is folded to the correctly rounded result (facts read in SASS); a register
// that is written by nothing but one mov of a literal counts as known.
#include <cmath>

#include "emulation/arith/array.hpp"
#include "emulation/arith/scalar.hpp"
#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/instructions/lanewise.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using Q = std::uint64_t;

template <void (*F)(const W*, W*, std::size_t)>
Step array1(Warp& warp, const Inst& inst, LaneMask active) {
  W* out = warp.words(inst.d);
  alignas(64) W all[32];
  W* const to = active == kAllLanes ? out : all;
  F(warp.words(inst.a), to, 32);
  if (to == all) each(active, [&](unsigned lane) { out[lane] = all[lane]; });
  return Step::next;
}

Q rcp64(Q a) {
  return std::bit_cast<Q>(1.0 / std::bit_cast<double>(a));
}
Q sqrt64(Q a) {
  return std::bit_cast<Q>(std::sqrt(std::bit_cast<double>(a)));
}
Q div64(Q a, Q b) {
  return std::bit_cast<Q>(std::bit_cast<double>(a) / std::bit_cast<double>(b));
}

struct Forms {
  Handler approx_ftz = nullptr, approx = nullptr, rn_ftz = nullptr, rn = nullptr, wide = nullptr;
};

Forms forms_of(const std::string& opcode) {
  using namespace arith;
  if (opcode == "ex2") return {array1<ex2_array>, each_lane1<W, W, ex2_approx_f32>};
  if (opcode == "lg2") return {array1<lg2_array>, each_lane1<W, W, lg2_approx_f32>};
  if (opcode == "rcp")
    return {array1<rcp_array>, each_lane1<W, W, rcp_approx_f32>, each_lane1<W, W, rcp_rn_ftz_f32>,
            each_lane1<W, W, rcp_rn_f32>, lanewise1<Q, Q, rcp64>};
  if (opcode == "rsqrt") return {array1<rsqrt_array>, each_lane1<W, W, rsqrt_approx_f32>};
  if (opcode == "sqrt")
    return {array1<sqrt_array>, each_lane1<W, W, sqrt_approx_f32>, each_lane1<W, W, sqrt_rn_ftz_f32>,
            each_lane1<W, W, sqrt_rn_f32>, lanewise1<Q, Q, sqrt64>};
  return {each_lane2<W, W, W, div_approx_ftz_f32>, each_lane2<W, W, W, div_approx_f32>,
          each_lane2<W, W, W, div_rn_ftz_f32>, each_lane2<W, W, W, div_rn_f32>, lanewise2<Q, Q, Q, div64>};
}

W identity(W x) {
  return x;
}

void fold_rsqrt(Decoder& d) {
  const auto known = d.known_value(d.operand(1));
  if (!known) return;
  const double x = std::bit_cast<float>(static_cast<W>(*known));
  if (!(x >= 0x1p-126) || !(x < 0x1p127)) return;  // specials and denormals: left to the unit
  // Twice rounded, but a double holds 29 bits more: the two roundings differ for no f32 input (1/sqrt never lies that
  // near the middle of two f32 numbers: x would need more bits than it has).
  d.inst.a = d.constant(std::bit_cast<W>(static_cast<float>(1.0 / std::sqrt(x))), false);
  d.inst.run = lanewise1<W, W, identity>;
}

void decode(Decoder& d, std::size_t sources) {
  const Type type = d.take_type();
  const bool approx = d.take("approx"), rn = d.take("rn"), ftz = d.take("ftz");
  const Forms forms = forms_of(d.instruction().opcode);
  d.expect_operands(sources + 1, sources + 1);
  d.inst.a = d.source(1, type);
  if (sources > 1) d.inst.b = d.source(2, type);
  d.inst.d = d.destination(0, type);
  if (type == Type::f64) {
    d.inst.run = rn ? forms.wide : nullptr;
  } else if (type == Type::f32 && approx != rn) {
    d.inst.run = approx ? (ftz ? forms.approx_ftz : forms.approx) : ftz ? forms.rn_ftz : forms.rn;
  }
  if (d.inst.run == nullptr) d.fail("the form is not supported: .approx or .rn, .f32");
  if (d.instruction().opcode == "rsqrt") fold_rsqrt(d);
}

void decode_unary(Decoder& d) {
  decode(d, 1);
}

}  // namespace

void decode_float_divide(Decoder& d) {
  decode(d, 2);
}

void add_special(Opcodes& table) {
  for (const char* opcode : {"ex2", "lg2", "rcp", "rsqrt", "sqrt"}) table[opcode] = decode_unary;
}

}  // namespace xqacheck::ptx
