// One declaration and one line for each kernel folder.
#include "kernels/builtin.hpp"

#include "kernels/flash32/flash32.h"

namespace xqacheck::kernels {

std::vector<const xqacheck_kernel*> table_of_builtin_kernels() {
  return {
      xqacheck_flash32_kernel(),
  };
}

}  // namespace xqacheck::kernels
