#include "reference/golden/rounding_model.hpp"

#include <algorithm>
#include <cmath>

#include "reference/golden/element.hpp"

namespace xqacheck::reference {
namespace {

double unit_of(const NumberFormat& f) {
  return std::ldexp(1.0, -f.bits);
}
double smallest_of(const NumberFormat& f) {
  return std::ldexp(1.0, f.min_exponent);
}
double floor_of(const NumberFormat& f) {
  return spacing(f, 0) / 2;
}

}  // namespace

RoundingModel rounding_model(const xqacheck_problem& problem, const xqacheck_numerics* numerics) {
  const xqacheck_numerics n = numerics != nullptr ? *numerics : xqacheck_numerics{};
  RoundingModel m{};
  m.q_format = n.q_format;

  const std::uint32_t p_dtype = n.p_format != XQACHECK_NONE ? n.p_format : std::uint32_t{XQACHECK_BF16};
  const NumberFormat p_format = format_of(p_dtype);
  const double p_scale = n.p_scale > 0 ? double{n.p_scale} : 1.0;
  m.p_scale = p_scale;
  m.p_unit = unit_of(p_format);
  m.p_floor = floor_of(p_format) / p_scale;
  m.p_smallest = smallest_of(p_format) / p_scale;
  // P of unknown format beside fp16 queries may be fp16, whose small weights are denormal: the coarser grid of both.
  if (n.p_format == XQACHECK_NONE && problem.q.dtype == XQACHECK_FP16) {
    const NumberFormat fp16 = format_of(XQACHECK_FP16);
    m.p_floor = std::max(m.p_floor, floor_of(fp16) / p_scale);
    m.p_smallest = std::max(m.p_smallest, smallest_of(fp16) / p_scale);
  }
  m.p_fits = p_scale <= p_format.largest;
  const bool sixteen_bit = p_dtype == XQACHECK_FP16 || p_dtype == XQACHECK_BF16;
  const bool rescaled = n.p_rescaled == 1 || (n.p_rescaled == 0 && sixteen_bit);
  m.p_roundings = rescaled ? 3 : 1;
  m.sum_of_rounded = n.row_sum_of_rounded_p != 2;
  m.sum_of_unrounded = n.row_sum_of_rounded_p != 1;

  const int bits =
      n.accumulator_bits != 0 ? static_cast<int>(n.accumulator_bits) : (problem.k.dtype == XQACHECK_E4M3 ? 14 : 24);
  m.truncates = n.accumulator_truncates != 2;
  m.grid = std::ldexp(1.0, m.truncates ? 1 - bits : -bits);
  m.steps = n.accumulator_steps != 0 ? static_cast<int>(n.accumulator_steps) : 16;
  m.q_smallest = smallest_of(format_of(m.q_format != XQACHECK_NONE ? m.q_format : problem.q.dtype));
  m.k_smallest = smallest_of(format_of(problem.k.dtype));
  m.v_smallest = smallest_of(format_of(problem.v.dtype));
  // The row sum may run through the matrix unit (truncating fp32) or through fp32 additions.
  m.sum_unit = m.truncates ? 0x1p-23 : 0x1p-24;

  const std::uint32_t partial = n.partial_format != XQACHECK_NONE ? n.partial_format : problem.q.dtype;
  const NumberFormat partial_format = format_of(partial);
  m.partial_unit = unit_of(partial_format);
  m.partial_floor = floor_of(partial_format);
  m.partial_largest = partial_format.largest;
  // Default: a split partial, then up to four token groups that are rounded and added in that format; the last addition
  // is the rounding of the output.
  m.partial_roundings = n.partial_roundings != 0 ? static_cast<int>(n.partial_roundings) : 4;
  m.tile_tokens = n.tile_tokens != 0 ? static_cast<int>(n.tile_tokens) : 64;
  m.exp_error = n.exp_relative_error > 0 ? double{n.exp_relative_error} : 0x1p-21;
  m.double_rounded_output = n.double_rounded_output != 2;
  return m;
}

}  // namespace xqacheck::reference
