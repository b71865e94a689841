// A delay inside a kernel: `nanosleep` before one instruction of its PTX, for some warps. What a race makes of a kernel
// shows on a device when one side of it is held back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulation/ptx/front/module.hpp"

namespace xqacheck::ptx {

struct Delay {
  std::uint32_t ptx_line = 0;        // before the instruction that begins there
  std::uint64_t nanoseconds = 0;     // a device sleeps no longer than twice as long
  std::vector<std::uint32_t> warps;  // of each CTA; empty: all
};

// "5015=100000" or "5015=100000@5,6". False, with the reason in `why`.
bool parse_delay(const std::string& text, Delay& delay, std::string& why);
std::string to_text(const Delay& delay);  // "100000 ns before ptx line 5015 in warps 5, 6"

// The text of the module with the delay. Throws PtxError where no instruction begins in that line.
std::string with_delay(const std::string& text, const Module& module, const Delay& delay);

}  // namespace xqacheck::ptx
