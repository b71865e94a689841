// Observation: the output of one run beside what it should have been, three times over (metric.hpp says why three).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "properties/budget/real_cache.hpp"
#include "properties/outcome.hpp"
#include "reference/golden.hpp"

namespace xqacheck::properties::budget {

struct Observation {
  const reference::Problem* problem = nullptr;
  xqacheck_problem view{};     // of the problem, without outputs
  xqacheck_numerics numerics{};
  std::vector<double> got;     // [R][q_heads][head_dim_v], as the filters take it
  reference::Golden real;      // of the real K and V, values only
  reference::Golden stored;    // of the stored ones, q as given, values only
  reference::Golden declared;  // of the stored ones, q as the kernel rounds it, with error model

  std::uint32_t rows() const { return declared.rows; }
  std::uint32_t heads() const { return declared.heads; }
  std::uint32_t dim() const { return declared.dim_v; }
  std::size_t lines() const { return std::size_t{rows()} * heads(); }  // (row, head) pairs
};

// The references do not depend on the kernel but for its numerics; `got` is left empty.
Observation make_observation(const reference::Problem& problem, const RealCache& cache,
                             const xqacheck_numerics& numerics, int threads);

// The elements of a run's output as numbers, dense.
std::vector<double> output_values(const xqacheck_problem& view, const Outcome& outcome);

// Which (row, head) pairs count: one flag each. Lines without a result (nothing visible) never do.
using Lines = std::vector<std::uint8_t>;
Lines all_lines(const Observation& o);

// Lines of each (request, KV head): the sampling units where there are no seeds, as with tensors from a file.
std::vector<Lines> lines_by_unit(const Observation& o);

}  // namespace xqacheck::properties::budget
