// Which products ptxas contracts into sums: `mul` and `add` or `sub` that both leave the rounding open become one fma.
//
// PTX allows it and does not say when it happens. The rule here is that of ptxas 13.0, found by compiling random blocks
// of products and sums and reading the machine code (doc/ptx-machine.md, "Contraction"):
//
// - a product takes part if every use of its value is a sum of the same type and the same .ftz in the same basic block,
// and
//   no use adds it to itself;
// - products with a single use are taken first, then the others, in the order of the sums;
// - a sum of two products takes the one with fewer uses, of equal ones the first; the other one is an addend from then
// on,
//   and takes no part in later sums.
//
// A product that is left as an addend anywhere is computed as well.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "emulation/ptx/front/module.hpp"

namespace xqacheck::ptx {

// Indices of instructions in the body of the function.
struct Contractions {
  std::map<std::uint32_t, std::uint32_t> product_of;  // by sum
  std::set<std::uint32_t> vanished;                   // products that nothing else needs
  std::set<std::uint32_t> overwritten;  // products whose operands change before the last sum: copies are kept
};

Contractions find_contractions(const Function& function);

// The same function with the sums written as fma.rn. A difference negates an operand by an instruction of its own,
// which changes no rounding.
Function contract(const Function& function, const Contractions& contractions);

}  // namespace xqacheck::ptx
