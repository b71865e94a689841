#include "properties/checks/number_format.hpp"

#include "kernels/abi/xqacheck_kernel.h"
#include "properties/power_of_two.hpp"

namespace xqacheck::properties {

NumberFormat number_format(std::uint32_t dtype) {
  switch (dtype) {
    case XQACHECK_FP16:
      return {11, -14, 65504};
    case XQACHECK_BF16:
      return {8, -126, 0x1.FEp127};
    case XQACHECK_E4M3:
      return {4, -6, 448};
    default:
      return {24, -126, 0x1.FFFFFEp127};
  }
}

double half_unit(const NumberFormat& format) {
  return power_of_two(-format.bits);
}

double half_smallest(const NumberFormat& format) {
  return power_of_two(format.min_exponent - format.bits);
}

}  // namespace xqacheck::properties
