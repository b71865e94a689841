// Where the lanes that a branch divides meet again: the branch's immediate post-dominator.
#pragma once

#include "emulation/ptx/machine/program.hpp"

namespace xqacheck::ptx {

// Fills Inst::reconverge of every branch. Exits, traps and the end of the code lead to a common end; a branch whose
// paths meet only there gets kNowhere.
void find_reconvergence(Program& program);

}  // namespace xqacheck::ptx
