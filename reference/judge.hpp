// Judging a kernel's bytes against a golden result: the rounding of what was written, the share of the bound that was
// used, the bad elements, and the statistical tests (doc/error-bounds.md, section "Judging").
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/golden.hpp"

namespace xqacheck::reference {

// Largest |want - got| that rounding to nearest explains when `got`, a number of format `dtype`, was written for
// `want`: half the distance from `got` to its neighbour on the side of `want`; without limit where the format saturates
// or overflows and `want` lies beyond. `first_dtype`: the format that the value was rounded to before (XQACHECK_NONE:
// none).
double output_rounding(double got, double want, std::uint32_t dtype, std::uint32_t first_dtype = XQACHECK_NONE);

enum class FaultKind : std::uint8_t {
  worst,       // outside of the worst-case bound: no correct kernel writes this
  statistics,  // inside of it, but more standard deviations away than the false-alarm rate allows
  special,     // NaN or Inf where a number was due, or a number where NaN or Inf was due
};
const char* name_of(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::worst;
  bool lse = false;  // of the LSE (dim is 0), not of the output
  std::uint32_t row = 0, head = 0, dim = 0;
  double got = 0, want = 0;
  double bound = 0;  // what |got - want| may be, output rounding included
  double ulps = 0;   // |got - want| in units of the output grid at `want`
};

struct JudgeOptions {
  double false_alarm_rate = 1e-6;  // of a whole run, all tests together
  // Elements that the whole run judges, at least: the per-element limit counts them all. 2^30 are 20,000 cases of
  // 50,000.
  double run_elements = 1073741824;
  std::size_t most_faults = 16;  // faults kept; all are counted
};

struct Judgement {
  std::uint64_t elements = 0;         // judged: output and LSE elements with a bound
  std::uint64_t without_bound = 0;    // the golden model promises nothing about them
  std::uint64_t bad = 0;              // all faults
  double bound_used = 0;              // largest share of the worst-case bound used, output rounding left out
  double largest_z = 0, z_limit = 0;  // largest (|error| - rounding - bias) / sigma of an element, and its limit
  // Mean over independent rows of the mean over channels of z^2, and its limit. 0 rows: not tested.
  double mean_square = 0, mean_square_limit = 0;
  std::uint64_t independent_rows = 0;
  std::vector<Fault> faults;             // the first ones in row, head, channel order
  std::uint64_t of_kind[3] = {0, 0, 0};  // by FaultKind

  bool mean_square_bad() const { return independent_rows > 0 && mean_square > mean_square_limit; }
  bool passed() const { return bad == 0 && !mean_square_bad(); }
};

// `out` has the strides of problem.out, `lse` is FP32 [R][q_heads] in base problem.lse_base or NULL. `numerics` as for
// golden(). Throws std::out_of_range when `out_bytes` or `lse_bytes` do not hold the tensor.
Judgement judge(const xqacheck_problem& problem, const Golden& golden, const xqacheck_numerics* numerics,
                const std::byte* out, std::size_t out_bytes, const std::byte* lse, std::size_t lse_bytes,
                const JudgeOptions& options = {});

// z for which 2 * elements * exp(-z^2 / 2) = rate: a sum of independent roundings exceeds z sigma in none of `elements`
// elements but with probability `rate`.
double z_limit(double elements, double rate);

}  // namespace xqacheck::reference
