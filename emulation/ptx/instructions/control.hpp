// Branches and exits, and what the decoder must know of them.
#pragma once

#include "emulation/ptx/decode/decoder.hpp"

namespace xqacheck::ptx {

bool is_branch(const Inst& inst);        // bra, brx.idx, and ret of an expanded function
bool is_table_branch(const Inst& inst);  // brx.idx: targets in Program::lists
bool is_exit(const Inst& inst);          // exit, trap, ret of the kernel
void append_exit(Program& program);      // so that code never runs off its end

void add_control(Opcodes& table);

}  // namespace xqacheck::ptx
