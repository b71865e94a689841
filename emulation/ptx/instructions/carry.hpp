// Sums and differences with carry: one flag a lane, in a register of the warp's own.
#pragma once

#include "emulation/ptx/decode/decoder.hpp"

namespace xqacheck::ptx {

// add.cc, addc, addc.cc, sub.cc, subc, subc.cc. False where the instruction neither uses nor sets the flag.
bool decode_carry(Decoder& d, bool uses, bool subtract);

}  // namespace xqacheck::ptx
