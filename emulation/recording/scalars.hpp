// The scalars of a problem by name, in the order of the ABI: what recordings keep beside the tensors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::emulation {

struct Scalar {
  const char* key;
  std::variant<std::uint32_t xqacheck_problem::*, std::int64_t xqacheck_problem::*, float xqacheck_problem::*,
               xqacheck_scale xqacheck_problem::*>
      member;
};
std::span<const Scalar> scalars();

// Shortest text that reads back to the same value.
std::string text_of(const Scalar& scalar, const xqacheck_problem& problem);

// "key=value" a line, all of them. The split count is not among them: it is how a call ran.
std::string text_of_scalars(const xqacheck_problem& problem);

}  // namespace xqacheck::emulation
