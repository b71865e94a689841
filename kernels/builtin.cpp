// One declaration and one line for each kernel folder.
#include "kernels/builtin.hpp"

#include "emulation/kernels/emulated_kernels.h"
#include "emulation/kernels/mmha/mmha.h"
#include "kernels/flash32/flash32.h"
#include "kernels/mmha/mmha.h"

namespace xqacheck::kernels {

std::vector<const xqacheck_kernel*> table_of_builtin_kernels() {
  return {
      xqacheck_flash32_kernel(),
      xqacheck_mmha_kernel(),
      xqacheck_emu_mmha_kernel(),
      xqacheck_emu_hmma_kernel(),
      xqacheck_emu_qgmma_kernel(),
      xqacheck_emu_hgmma_kernel(),
  };
}

}  // namespace xqacheck::kernels
