// One declaration and one line for each kernel folder.
#include "kernels/builtin.hpp"

#include "emulation/kernels/mmha/mmha.h"
#include "kernels/flash32/flash32.h"
#include "kernels/mmha/mmha.h"

namespace xqacheck::kernels {

std::vector<const xqacheck_kernel*> table_of_builtin_kernels() {
  return {
      xqacheck_flash32_kernel(),
      xqacheck_mmha_kernel(),
      xqacheck_emu_mmha_kernel(),
  };
}

}  // namespace xqacheck::kernels
