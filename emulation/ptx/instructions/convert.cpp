// cvt: integers, f16, bf16, f32, f64 and pairs; e4m3 pairs from and to f16 and f32. What the text asks for; how it is
// done is in convert_integers.cpp, convert_frequent.cpp and convert_values.cpp.
#include "emulation/ptx/instructions/convert.hpp"

#include "emulation/ptx/instructions/groups.hpp"

namespace xqacheck::ptx {
namespace {

bool is_integer(Type type) {
  return type >= Type::u8 && type <= Type::s64;
}

void decode_cvt(Decoder& d) {
  const bool satfinite = d.take("satfinite"), saturate = d.take("sat"), ftz = d.take("ftz");
  const auto rounding = d.take_one_of({"rni", "rzi", "rmi", "rpi", "rn", "rz", "rm", "rp"});
  const Type to = d.take_type(), from = d.take_type();
  const Round round = rounding.empty() || rounding[1] == 'n' ? Round::rn
                      : rounding[1] == 'z'                   ? Round::rz
                      : rounding[1] == 'm'                   ? Round::rm
                                                             : Round::rp;
  const bool directed = round == Round::rm || round == Round::rp;
  if (!directed && decode_pair_conversion(d, to, from, round == Round::rz, satfinite)) return;
  if (satfinite) d.fail(".satfinite is not supported for these types");
  const auto scalar = [](Type type) { return is_integer(type) || is_float(type); };
  if (!scalar(to) || !scalar(from)) d.fail("conversion between these types is not supported");
  d.expect_operands(2, 2);
  d.inst.a = d.cvt_source(1, from);
  const Type target_register = d.register_type(d.operand(0));
  const std::uint32_t register_bytes = bytes_of(target_register);
  if (register_bytes < bytes_of(to)) d.fail("the destination register is too narrow");
  d.inst.d = d.destination(0, target_register);
  if (is_integer(to) && is_integer(from)) {
    d.inst.run = integer_conversion(from, to, register_bytes, saturate);
    return;
  }
  if (is_integer(to) && rounding.size() != 3) d.fail("rounding to an integer is missing: .rni, .rzi, .rmi or .rpi");
  if (is_float(to) && register_bytes != bytes_of(to)) d.fail("the destination register has another width");
  const Conversion c{from, to, round, rounding.size() == 3, ftz, saturate};
  const bool half_target = to == Type::f16 || to == Type::bf16;
  if (half_target && (directed || saturate)) d.fail("this rounding is not supported for the type");
  if (half_target && (from == Type::u32 || bytes_of(from) == 8)) d.fail("conversion from this type is not supported");
  if (bytes_of(from) == 8 && is_integer(from) && round != Round::rn)
    d.fail("only .rn is supported for 64-bit integers");
  if (from == Type::f64 && to == Type::f32 && saturate) d.fail(".sat is not supported here");
  d.inst.run = frequent_conversion(to, from, c);
  if (d.inst.run != nullptr) return;
  if (half_target && from == Type::s32) d.fail("only .rn is supported here");
  general_conversion(c, register_bytes, d.inst);
  if (register_bytes == 8 && is_integer(to) && bytes_of(to) < 8) d.fail("the destination register has another width");
}

}  // namespace

void add_convert(Opcodes& table) {
  table["cvt"] = decode_cvt;
}

}  // namespace xqacheck::ptx
