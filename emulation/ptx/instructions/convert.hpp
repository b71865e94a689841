// The parts of cvt: how a conversion between two types is carried out.
#pragma once

#include "emulation/ptx/decode/decoder.hpp"

namespace xqacheck::ptx {

enum class Round : std::uint8_t { rn, rz, rm, rp };

struct Conversion {
  Type from, to;
  Round round;    // of the value
  bool integral;  // .rni and so on: to an integer first
  bool ftz, saturate;
};

// Handlers; null where there is none.
Handler integer_conversion(Type from, Type to, std::uint32_t register_bytes, bool saturate);
Handler frequent_conversion(Type to, Type from, const Conversion& c);  // vector code
// By way of double. Fills `inst`: the conversion and how its registers hold narrow and wide values.
void general_conversion(const Conversion& c, std::uint32_t register_bytes, Inst& inst);

// Two f32 or one packed source to one register. False for other types.
bool decode_pair_conversion(Decoder& d, Type to, Type from, bool rz, bool satfinite);

}  // namespace xqacheck::ptx
