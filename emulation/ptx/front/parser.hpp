// PTX text to a Module. Accepts what nvcc 12, 13 and NVRTC write (ISA 7.8 to 9.0) and hand-written PTX of the same
// kind: directives, scoped blocks with their own registers and labels, every operand form. Whether an opcode exists is
// decided later, by decode/.
#pragma once

#include <string>
#include <string_view>

#include "emulation/ptx/front/module.hpp"

namespace xqacheck::ptx {

// `file` is used in messages. Throws PtxError with file, line and what was expected.
Module parse(std::string_view text, const std::string& file);
// Reads and parses a file. Throws PtxError, also when it cannot be read.
Module parse_file(const std::string& path);

}  // namespace xqacheck::ptx
