// Sums, products and fused ones of a module: as the text has them, as the machine contracts them, and as ptxas does.
//
// ptxas is asked for two things that the text does not show: how many products it contracts (that must be what the
// machine does: decode/contraction.hpp), and what .rn reciprocals and their kind expand to. The second is measured with
// the same ptxas, on kernels that hold nothing else.
#pragma once

#include <string>

#include "emulation/ptx/front/module.hpp"
#include "emulation/ptx/sass/cubin.hpp"

namespace xqacheck::ptx {

struct ArithmeticCheck {
  SassCounts text;  // add and sub, mul, fma as written; f16 and bf16 together in `half`
  std::uint64_t contracted =
      0;  // products of f32 that the machine makes part of a sum; a product in two sums counts twice
  std::uint64_t contracted_half = 0;
  SassCounts expected;  // of the machine code: after contraction, with expansions
  SassCounts found;

  enum class Verdict {
    equal,     // every number
    products,  // sums and fma are; ptxas computes a product once that the text has twice, or twice
    repeated,  // nothing is missing, there are more sums: ptxas has unrolled a loop or copied a block
    different  // it contracts more or less than the machine
  };
  Verdict verdict() const;
};

// `ptx_file`: the text of `module`. Throws PtxError.
ArithmeticCheck check_arithmetic(const Module& module, const std::string& ptx_file, const std::string& ptxas);

}  // namespace xqacheck::ptx
