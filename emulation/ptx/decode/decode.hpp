// A function of a module, ready to run.
#pragma once

#include <memory>
#include <string>

#include "emulation/ptx/decode/decoder.hpp"

namespace xqacheck::ptx {

// `symbols`: addresses of the module's global and constant variables. Throws PtxError: no such kernel, an instruction
// or modifier that the machine does not know, operands that do not fit, recursion.
std::shared_ptr<const Program> decode(const Module& module, const std::string& kernel, const Symbols& symbols);

}  // namespace xqacheck::ptx
