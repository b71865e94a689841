// What the decoder needs of moves.
#pragma once

#include "emulation/ptx/machine/program.hpp"

namespace xqacheck::ptx {

bool reads_clock(const Inst& inst);
Handler copy_low_words();  // the lower halves of a 64-bit register to a 32-bit one

}  // namespace xqacheck::ptx
