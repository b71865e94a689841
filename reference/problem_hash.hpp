// One number for everything a kernel can see of a problem: proof that two machines, compilers or thread counts made the
// same.
#pragma once

#include <cstdint>

#include "reference/problem.hpp"

namespace xqacheck::reference {

// xxh64 over sizes, strides, flags and the bytes of every tensor. Zero blocks of 4096 bytes count by their place only,
// so that the untouched part of a sparse pool costs nothing.
std::uint64_t problem_hash(const Problem& problem);

}  // namespace xqacheck::reference
