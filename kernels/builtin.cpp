// One declaration and one line for each kernel folder.
#include "kernels/builtin.hpp"

namespace xqacheck::kernels {

std::vector<const xqacheck_kernel*> table_of_builtin_kernels() {
  return {
  };
}

}  // namespace xqacheck::kernels
