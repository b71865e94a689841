// add, sub, mul, fma, mad, min, max, abs, neg, copysign, testp of f32 and f64. f32 is that of emulation/arith (NaN
// results 0x7fffffff, .ftz decided after rounding); f64 is the host's IEEE double.
#include <cmath>

#include "emulation/arith/array.hpp"
#include "emulation/arith/scalar.hpp"
#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/instructions/lanewise.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using Q = std::uint64_t;

W bits_of(float x) {
  return std::bit_cast<W>(x);
}
float float_of(W x) {
  return std::bit_cast<float>(x);
}
W canonical(float x) {
  return x != x ? 0x7fffffffu : bits_of(x);
}

// Rounded to nearest even, denormals kept: the host's own operations.
W add_ieee(W a, W b) {
  return canonical(float_of(a) + float_of(b));
}
W sub_ieee(W a, W b) {
  return canonical(float_of(a) - float_of(b));
}
W mul_ieee(W a, W b) {
  return canonical(float_of(a) * float_of(b));
}
W fma_ieee(W a, W b, W c) {
  return canonical(std::fma(float_of(a), float_of(b), float_of(c)));
}
W min_ftz(W a, W b) {
  return arith::min_ftz_f32(a, b);
}
W max_ieee(W a, W b) {
  return arith::max_f32(a, b);
}
W min_ieee(W a, W b) {
  return arith::min_f32(a, b);
}

bool is_nan(W x) {
  return (x & 0x7fffffffu) > 0x7f800000u;
}
template <auto F>
W or_nan(W a, W b) {  // .NaN: a NaN operand is not given up for the other one
  return is_nan(a) || is_nan(b) ? 0x7fffffffu : F(a, b);
}
W max_ftz(W a, W b) {
  return arith::max_ftz_f32(a, b);
}

W flush(W x) {
  return (x & 0x7f800000u) == 0 ? x & 0x80000000u : x;
}
template <bool kFlush>
W absolute(W x) {
  return (kFlush ? flush(x) : x) & 0x7fffffffu;
}
template <bool kFlush>
W negate(W x) {
  return (kFlush ? flush(x) : x) ^ 0x80000000u;
}
W copy_sign(W a, W b) {
  return (a & 0x80000000u) | (b & 0x7fffffffu);
}

void add_array(const W* a, const W* b, W* out) {
  arith::add_ftz_array(a, b, out, 32);
}
void sub_array(const W* a, const W* b, W* out) {
  arith::sub_ftz_array(a, b, out, 32);
}
void mul_array(const W* a, const W* b, W* out) {
  arith::mul_ftz_array(a, b, out, 32);
}
void max_array(const W* a, const W* b, W* out) {
  arith::max_ftz_array(a, b, out, 32);
}

template <auto F>
Step array2(Warp& warp, const Inst& inst, LaneMask active) {
  W* out = warp.words(inst.d);
  if (active == kAllLanes) {
    F(warp.words(inst.a), warp.words(inst.b), out);
    return Step::next;
  }
  alignas(64) W all[32];
  F(warp.words(inst.a), warp.words(inst.b), all);
  each(active, [&](unsigned lane) { out[lane] = all[lane]; });
  return Step::next;
}

Step fma_array(Warp& warp, const Inst& inst, LaneMask active) {
  W* out = warp.words(inst.d);
  if (active == kAllLanes) {
    arith::fma_ftz_array(warp.words(inst.a), warp.words(inst.b), warp.words(inst.c), out, 32);
    return Step::next;
  }
  alignas(64) W all[32];
  arith::fma_ftz_array(warp.words(inst.a), warp.words(inst.b), warp.words(inst.c), all, 32);
  each(active, [&](unsigned lane) { out[lane] = all[lane]; });
  return Step::next;
}

double double_of(Q x) {
  return std::bit_cast<double>(x);
}
Q bits64(double x) {
  return std::bit_cast<Q>(x);
}
Q add64(Q a, Q b) {
  return bits64(double_of(a) + double_of(b));
}
Q sub64(Q a, Q b) {
  return bits64(double_of(a) - double_of(b));
}
Q mul64(Q a, Q b) {
  return bits64(double_of(a) * double_of(b));
}
Q fma64(Q a, Q b, Q c) {
  return bits64(std::fma(double_of(a), double_of(b), double_of(c)));
}
Q min64(Q a, Q b) {
  return bits64(std::fmin(double_of(a), double_of(b)));
}
Q max64(Q a, Q b) {
  return bits64(std::fmax(double_of(a), double_of(b)));
}
Q abs64(Q a) {
  return a & ~(Q{1} << 63);
}
Q neg64(Q a) {
  return a ^ Q { 1 } << 63;
}

struct Forms {
  Handler ftz, ieee, wide;
};

Forms forms_of(const std::string& opcode, bool nan) {
  if (opcode == "add") return {array2<add_array>, lanewise2<W, W, W, add_ieee>, lanewise2<Q, Q, Q, add64>};
  if (opcode == "sub") return {array2<sub_array>, lanewise2<W, W, W, sub_ieee>, lanewise2<Q, Q, Q, sub64>};
  if (opcode == "mul") return {array2<mul_array>, lanewise2<W, W, W, mul_ieee>, lanewise2<Q, Q, Q, mul64>};
  if (opcode == "fma" || opcode == "mad")
    return {fma_array, lanewise3<W, W, W, W, fma_ieee>, lanewise3<Q, Q, Q, Q, fma64>};
  if (opcode == "max")
    return nan ? Forms{each_lane2<W, W, W, or_nan<max_ftz>>, each_lane2<W, W, W, or_nan<max_ieee>>, nullptr}
               : Forms{array2<max_array>, each_lane2<W, W, W, max_ieee>, lanewise2<Q, Q, Q, max64>};
  if (opcode == "min")
    return nan ? Forms{each_lane2<W, W, W, or_nan<min_ftz>>, each_lane2<W, W, W, or_nan<min_ieee>>, nullptr}
               : Forms{each_lane2<W, W, W, min_ftz>, each_lane2<W, W, W, min_ieee>, lanewise2<Q, Q, Q, min64>};
  if (opcode == "abs")
    return {lanewise1<W, W, absolute<true>>, lanewise1<W, W, absolute<false>>, lanewise1<Q, Q, abs64>};
  if (opcode == "neg") return {lanewise1<W, W, negate<true>>, lanewise1<W, W, negate<false>>, lanewise1<Q, Q, neg64>};
  return {};
}

void decode_fma(Decoder& d) {
  if (!decode_float_arithmetic(d)) d.fail("a floating-point type is needed");
}

void decode_copysign(Decoder& d) {
  const Type type = d.take_type();
  if (type != Type::f32) d.fail("only .f32 is supported");
  d.expect_operands(3, 3);
  d.inst.a = d.source(1, type), d.inst.b = d.source(2, type);
  d.inst.d = d.destination(0, type);
  d.inst.run = lanewise2<W, W, W, copy_sign>;
}

// testp: classes of f32.
bool in_class(unsigned which, W x) {
  const W magnitude = x & 0x7fffffffu;
  switch (which) {
    case 0:
      return magnitude < 0x7f800000u;  // finite
    case 1:
      return magnitude == 0x7f800000u;  // infinite
    case 2:
      return magnitude <= 0x7f800000u;  // number
    case 3:
      return magnitude > 0x7f800000u;  // notanumber
    case 4:
      return magnitude >= 0x00800000u && magnitude < 0x7f800000u;  // normal
    default:
      return magnitude != 0 && magnitude < 0x00800000u;  // subnormal
  }
}

Step run_testp(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<W>(warp, inst.a);
  const unsigned which = inst.which;
  write_predicate(warp, inst.d, active, mask_where([&](unsigned lane) { return in_class(which, a[lane]); }));
  return Step::next;
}

void decode_testp(Decoder& d) {
  constexpr std::string_view kClasses[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  bool found = false;
  for (std::uint8_t i = 0; i < 6; ++i)
    if (d.take(kClasses[i])) d.inst.which = i, found = true;
  if (!found) d.fail("the class is missing");
  if (d.take_type() != Type::f32) d.fail("only .f32 is supported");
  d.expect_operands(2, 2);
  d.inst.a = d.source(1, Type::f32);
  d.inst.d = d.destination(0, Type::pred);
  d.inst.run = run_testp;
}

}  // namespace

bool decode_float_arithmetic(Decoder& d) {
  const auto& modifiers = d.instruction().modifiers;
  const Type type = modifiers.empty() ? Type::none : type_of(modifiers.back()).value_or(Type::none);
  if (type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2)
    return decode_half_arithmetic(d, type);
  if (type != Type::f32 && type != Type::f64) return false;
  const std::string& opcode = d.instruction().opcode;
  d.take_type();
  d.take("rn");  // the default; other roundings are left to finish() to refuse
  const bool ftz = d.take("ftz"), nan = d.take("NaN");
  const Forms forms = forms_of(opcode, nan);
  const std::size_t sources = opcode == "fma" || opcode == "mad" ? 3 : opcode == "abs" || opcode == "neg" ? 1 : 2;
  d.expect_operands(sources + 1, sources + 1);
  d.inst.a = d.source(1, type);
  if (sources > 1) d.inst.b = d.source(2, type);
  if (sources > 2) d.inst.c = d.source(3, type);
  d.inst.d = d.destination(0, type);
  d.inst.run = type == Type::f64 ? (ftz ? nullptr : forms.wide) : ftz ? forms.ftz : forms.ieee;
  if (d.inst.run == nullptr) d.fail("the form is not supported");
  return true;
}

void add_float(Opcodes& table) {
  table["fma"] = decode_fma;
  table["copysign"] = decode_copysign;
  table["testp"] = decode_testp;
}

}  // namespace xqacheck::ptx
