// What the host formulas ask about formats.
#pragma once

#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::kernels {

constexpr bool is_16_bit(std::uint32_t dtype) {
  return dtype == XQACHECK_FP16 || dtype == XQACHECK_BF16;
}

}  // namespace xqacheck::kernels
