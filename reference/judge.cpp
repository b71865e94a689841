#include "reference/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "reference/golden/tensor.hpp"

namespace xqacheck::reference {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// The golden model's own error: far below the 1e-12 to which two implementations agree.
constexpr double kGoldenError = 1e-13;

// Distance from |got| to its neighbour away from zero, or towards it.
double gap(const NumberFormat& format, double got, bool outwards) {
  const double size = std::fabs(got), step = spacing(format, size);
  if (outwards || size == 0) return step;
  const bool binade_begins =
      size > std::ldexp(1.0, format.min_exponent) && std::ilogb(size) != std::ilogb(size - step / 2);
  return binade_begins ? step / 2 : step;
}

double half_gap(double got, double want, const NumberFormat& format) {
  const bool outwards = got == 0 || (want > got) == (got > 0);
  return gap(format, got, outwards) / 2;
}

class Judge {
 public:
  Judge(const xqacheck_problem& p, const Golden& g, const xqacheck_numerics* numerics, const JudgeOptions& options)
      : p_(p), g_(g), options_(options) {
    const bool twice = numerics == nullptr || numerics->double_rounded_output != 2;
    if (p.out.dtype == XQACHECK_E4M3 && twice) first_dtype_ = p.q.dtype;
    // Half of the rate for the single elements, half for the mean squares.
    result_.z_limit = z_limit(options.run_elements, options.false_alarm_rate / 2);
  }

  Judgement run(const xqacheck_tensor& out, const xqacheck_tensor& lse) {
    for (std::uint32_t row = 0; row < g_.rows; ++row) {
      for (std::uint32_t head = 0; head < g_.heads; ++head) judge_row(out, lse, row, head);
    }
    finish_mean_square();
    return std::move(result_);
  }

 private:
  void judge_row(const xqacheck_tensor& out, const xqacheck_tensor& lse, std::uint32_t row, std::uint32_t head) {
    const std::size_t index = std::size_t{row} * g_.heads + head;
    double squares = 0;
    std::size_t counted = 0;
    const std::int64_t first = row * p_.out_stride_row + head * p_.out_stride_head;
    const std::byte* data = elements(out, "out", first, g_.dim_v);
    const std::size_t size = bytes_of(out.dtype);
    for (std::uint32_t d = 0; d < g_.dim_v; ++d) {
      const std::size_t at = index * g_.dim_v + d;
      Fault f{FaultKind::worst, false, row, head, d, element(data + d * size, out.dtype), g_.out[at], 0, 0};
      const double z = judge_element(f, g_.worst[at] + kGoldenError * g_.sum_p_abs_v[at], g_.bias[at], g_.sigma[at],
                                     out.dtype, first_dtype_);
      if (z < 0) continue;
      squares += z * z;
      ++counted;
    }
    if (counted > 0 && g_.empty[index] == 0) rows_[key(index)].push_back(squares / static_cast<double>(counted));
    if (lse.data == nullptr) return;
    const double base = p_.lse_base > 0 ? std::log(double{p_.lse_base}) : 1.0;
    const double natural = std::fabs(base - 1) < 1e-6 ? 1.0 : base;  // e as fp32 means e
    Fault f{FaultKind::worst,        true, row, head, 0, number_at(lse, "lse", static_cast<std::int64_t>(index)),
            g_.lse[index] / natural, 0,    0};
    // Two fp32 roundings more for another base.
    const double worst = g_.lse_worst[index] / natural + 0x1p-23 * std::fabs(f.want) * (natural == 1.0 ? 0 : 1);
    judge_element(f, worst, worst, 0, XQACHECK_FP32, XQACHECK_NONE);
  }

  // Returns the statistical z of the element, -1 where there is none.
  double judge_element(Fault& f, double worst, double bias, double sigma, std::uint32_t dtype, std::uint32_t first) {
    if (std::isinf(worst)) {
      ++result_.without_bound;
      return -1;
    }
    ++result_.elements;
    if (!std::isfinite(f.want)) {
      if (!special_matches(f, dtype)) report(f, FaultKind::special);
      return -1;
    }
    if (std::isnan(f.got)) {
      report(f, FaultKind::special);
      return -1;
    }
    const double rounding = output_rounding(f.got, f.want, dtype, first);
    f.bound = worst + rounding;
    f.ulps = std::fabs(f.got - f.want) / spacing(format_of(dtype), f.want);
    const double beyond_rounding = excess(f, worst, dtype, rounding);
    if (beyond_rounding > 0) result_.bound_used = std::max(result_.bound_used, beyond_rounding / worst);
    if (beyond_rounding > worst) {
      report(f, FaultKind::worst);
      return -1;
    }
    const double beyond_bias = std::max(0.0, beyond_rounding - bias - kGoldenError * std::fabs(f.want));
    if (sigma == 0) return 0;
    const double z = beyond_bias / sigma;
    result_.largest_z = std::max(result_.largest_z, z);
    if (z > result_.z_limit) {
      f.bound = std::min(worst, bias + result_.z_limit * sigma) + rounding;
      report(f, FaultKind::statistics);
    }
    return z;
  }

  // |error| that output rounding does not explain.
  static double excess(const Fault& f, double worst, std::uint32_t dtype, double rounding) {
    if (std::isinf(f.got)) {
      // Overflow is right when a value within the bound rounds to infinity.
      const NumberFormat format = format_of(dtype);
      const double overflow = format.largest + spacing(format, format.largest) / 2;
      const double reach = std::signbit(f.got) == std::signbit(f.want) ? std::fabs(f.want) : -std::fabs(f.want);
      return reach + worst >= overflow ? std::max(0.0, overflow - reach) : kInf;
    }
    return std::max(0.0, std::fabs(f.got - f.want) - rounding);
  }

  // NaN stays NaN. An infinity may become NaN (a weight that underflows to 0 times infinity) and saturates in e4m3.
  static bool special_matches(const Fault& f, std::uint32_t dtype) {
    if (std::isnan(f.got)) return true;
    if (std::isnan(f.want)) return false;
    if (f.lse && f.want < 0) return f.got == f.want;
    if (format_of(dtype).saturates) return f.got == std::copysign(format_of(dtype).largest, f.want);
    return f.got == f.want;
  }

  void report(Fault& f, FaultKind kind) {
    f.kind = kind;
    ++result_.bad;
    ++result_.of_kind[static_cast<int>(kind)];
    if (result_.faults.size() < options_.most_faults) result_.faults.push_back(f);
  }

  // Rows with equal golden results have equal inputs: their roundings are not independent, so they count once.
  std::vector<double> key(std::size_t index) const {
    const double* out = g_.out.data() + index * g_.dim_v;
    std::vector<double> k(out, out + std::min<std::size_t>(g_.dim_v, 4));
    k.push_back(g_.lse[index]);
    return k;
  }

  void finish_mean_square() {
    const double rows = static_cast<double>(rows_.size());
    if (rows == 0) return;
    double sum = 0;
    for (const auto& [unused, squares] : rows_) {
      double mean = 0;
      for (double s : squares) mean += s / static_cast<double>(squares.size());
      sum += mean;
    }
    result_.independent_rows = rows_.size();
    result_.mean_square = sum / rows;
    // Laurent and Massart: P(sum > R + 2 sqrt(R x) + 2 x) <= exp(-x) for R squares of sub-Gaussian variables of
    // variance 1; means over channels only make the tail smaller (Jensen).
    const double x = std::log(2 * options_.run_elements / options_.false_alarm_rate);
    result_.mean_square_limit = 1 + 2 * std::sqrt(x / rows) + 2 * x / rows;
  }

  const xqacheck_problem& p_;
  const Golden& g_;
  JudgeOptions options_;
  std::uint32_t first_dtype_ = XQACHECK_NONE;
  Judgement result_;
  std::map<std::vector<double>, std::vector<double>> rows_;
};

}  // namespace

const char* name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::worst:
      return "worst-case bound";
    case FaultKind::statistics:
      return "statistics";
    case FaultKind::special:
      return "NaN/Inf policy";
  }
  return "?";
}

double z_limit(double elements, double rate) {
  return std::sqrt(2 * std::log(2 * elements / rate));
}

double output_rounding(double got, double want, std::uint32_t dtype, std::uint32_t first_dtype) {
  const NumberFormat format = format_of(dtype);
  if (std::isinf(got)) return std::signbit(got) == std::signbit(want) && std::fabs(want) > format.largest ? kInf : 0;
  const bool at_limit =
      format.saturates && (std::fabs(got) == format.largest || (dtype == XQACHECK_INT8 && got <= -127));
  if (at_limit && std::fabs(want) >= std::fabs(got) && std::signbit(want) == std::signbit(got)) return kInf;
  double rounding = half_gap(got, want, format);
  // The first rounding moved the value by at most half a spacing of the first format, at most one binade above `got`.
  if (first_dtype != XQACHECK_NONE) rounding += spacing(format_of(first_dtype), std::fabs(got) + rounding) / 2;
  return rounding;
}

Judgement judge(const xqacheck_problem& problem, const Golden& golden, const xqacheck_numerics* numerics,
                const std::byte* out, std::size_t out_bytes, const std::byte* lse, std::size_t lse_bytes,
                const JudgeOptions& options) {
  xqacheck_tensor out_tensor = problem.out, lse_tensor = problem.lse;
  out_tensor.data = const_cast<std::byte*>(out);
  out_tensor.bytes = out_bytes;
  lse_tensor.data = const_cast<std::byte*>(lse);
  lse_tensor.bytes = lse_bytes;
  lse_tensor.dtype = XQACHECK_FP32;
  return Judge(problem, golden, numerics, options).run(out_tensor, lse_tensor);
}

}  // namespace xqacheck::reference
