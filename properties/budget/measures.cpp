#include "properties/budget/measures.hpp"

#include <algorithm>
#include <cmath>

#include "properties/budget/draft_proxy.hpp"
#include "reference/filters/context.hpp"
#include "reference/filters/screen.hpp"
#include "reference/golden/element.hpp"

namespace xqacheck::properties::budget {
namespace {

namespace filters = reference::filters;

template <class Use>
void for_each_element(const Observation& o, const Lines& lines, Use use) {
  for (std::size_t line = 0; line < lines.size(); ++line) {
    if (lines[line] == 0) continue;
    for (std::size_t i = line * o.dim(); i < (line + 1) * o.dim(); ++i) use(i);
  }
}

// Sums of an error and its reference.
struct Sums {
  double error2 = 0, want2 = 0, got2 = 0, product = 0, error = 0, count = 0;
};

Sums sums_of(const Observation& o, const Lines& lines, const std::vector<double>& want) {
  Sums s;
  for_each_element(o, lines, [&](std::size_t i) {
    const double e = o.got[i] - want[i];
    s.error2 += e * e, s.want2 += want[i] * want[i], s.got2 += o.got[i] * o.got[i], s.product += o.got[i] * want[i];
    s.error += e, s.count += 1;
  });
  return s;
}

double relative_l2(const Sums& s) {
  return s.want2 > 0 ? std::sqrt(s.error2 / s.want2) : s.error2 > 0 ? HUGE_VAL : 0;
}

// 1 - cosine without cancellation: |a/|a| - b/|b||^2 / 2.
double one_minus_cosine(const Observation& o, const Lines& lines, const Sums& s) {
  if (!(s.want2 > 0 && s.got2 > 0)) return s.want2 == s.got2 ? 0 : 1;
  double square = 0;
  const double a = 1 / std::sqrt(s.got2), b = 1 / std::sqrt(s.want2);
  for_each_element(o, lines, [&](std::size_t i) {
    const double d = o.got[i] * a - o.real.out[i] * b;
    square += d * d;
  });
  return square / 2;
}

// Value below which `share` of the numbers lie.
double percentile(std::vector<double>& x, double share) {
  if (x.empty()) return 0;
  const auto rank = static_cast<std::ptrdiff_t>(std::min(static_cast<double>(x.size() - 1), share * static_cast<double>(x.size())));
  std::nth_element(x.begin(), x.begin() + rank, x.end());
  return x[static_cast<std::size_t>(rank)];
}

constexpr double kPercentile = 0.999;

void measure_grids(const Observation& o, const Lines& lines, MetricValues& m) {
  std::vector<double> ulps, sigmas;
  const reference::NumberFormat format = reference::format_of(o.view.out.dtype);
  for_each_element(o, lines, [&](std::size_t i) {
    ulps.push_back(std::fabs(o.got[i] - o.real.out[i]) / reference::spacing(format, o.real.out[i]));
    const double grid = reference::spacing(format, o.declared.out[i]);
    // Output rounding is uniform within a cell of the grid.
    const double sigma = std::sqrt(o.declared.sigma[i] * o.declared.sigma[i] + grid * grid / 12);
    sigmas.push_back(std::fabs(o.got[i] - o.declared.out[i]) / sigma);
  });
  if (ulps.empty()) return;
  m[Metric::ulp_max] = *std::max_element(ulps.begin(), ulps.end());
  m[Metric::sigma_max] = *std::max_element(sigmas.begin(), sigmas.end());
  m[Metric::ulp_p999] = percentile(ulps, kPercentile);
  m[Metric::sigma_p999] = percentile(sigmas, kPercentile);
}

// Matched filters (doc/filters.md): amplitudes of the faults that no norm shows.
void measure_suspects(const Observation& o, const Lines& lines, Measured& result) {
  std::vector<double> got = o.got;
  for (std::size_t line = 0; line < lines.size(); ++line)  // the filters leave out what is not a number
    if (lines[line] == 0) std::fill_n(got.begin() + static_cast<std::ptrdiff_t>(line * o.dim()), o.dim(), HUGE_VAL);
  const filters::Context context(o.view, o.declared, &o.numerics, got);
  const filters::Screen screen = filters::run_screen(context, 1);
  MetricValues& m = result.values;
  m[Metric::score_gain] = screen.softmax_scale.amplitude();
  m[Metric::output_gain] = screen.output_scale.amplitude();
  m[Metric::last_token] = screen.length_short.amplitude();
  filters::Tally first;
  double loudest = 0;
  for (std::size_t s = 0; s < screen.sequences.size(); ++s) {
    const auto& missing = screen.sequences[s].missing;
    bool oldest = true;
    for (std::size_t t = 0; t < missing.size(); ++t) {
      if (!missing[t].seen()) continue;
      if (oldest) first += missing[t], oldest = false;
      if (std::fabs(missing[t].sigmas()) <= loudest) continue;
      loudest = std::fabs(missing[t].sigmas());
      result.loudest_request = context.sight.sequences()[s].request;
      result.loudest_token = screen.sequences[s].first + static_cast<std::int64_t>(t);
    }
  }
  m[Metric::first_token] = first.amplitude();
  m[Metric::loudest_token] = loudest;
}

void measure_weights(const Lines& lines, const std::vector<WeightError>& weights, MetricValues& m) {
  WeightError sum;
  double rows = 0, flips = 0;
  for (std::size_t line = 0; line < weights.size(); ++line) {
    const WeightError& w = weights[line];
    if (lines[line] == 0 || w.tokens == 0) continue;
    sum.score_square += w.score_square, sum.tokens += w.tokens, sum.distance += w.distance;
    sum.score_max = std::max(sum.score_max, w.score_max);
    flips += w.top_differs ? 1 : 0, rows += 1;
  }
  if (rows == 0) return;
  m[Metric::logit_rms] = std::sqrt(sum.score_square / static_cast<double>(sum.tokens));
  m[Metric::logit_max] = sum.score_max;
  m[Metric::weights_tv] = sum.distance / rows;
  m[Metric::top1_flips] = flips / rows;
}

}  // namespace

Measured measure(const Observation& o, const Lines& lines, const std::vector<WeightError>& weights) {
  Measured result;
  std::vector<double> error;
  for_each_element(o, lines, [&](std::size_t i) {
    error.push_back(o.got[i] - o.declared.out[i]);
    if (!std::isfinite(o.got[i])) ++result.not_finite;
  });
  result.elements = error.size();
  if (result.not_finite > 0 || result.elements == 0) return result;
  MetricValues& m = result.values;
  const Sums real = sums_of(o, lines, o.real.out);
  m[Metric::rel_l2] = relative_l2(real);
  m[Metric::nmse] = m[Metric::rel_l2] * m[Metric::rel_l2];
  m[Metric::cosine] = one_minus_cosine(o, lines, real);
  m[Metric::bias] = real.want2 > 0 ? real.error / real.count / std::sqrt(real.want2 / real.count) : 0;
  m[Metric::stored_l2] = relative_l2(sums_of(o, lines, o.stored.out));
  m[Metric::declared_l2] = relative_l2(sums_of(o, lines, o.declared.out));
  measure_grids(o, lines, m);
  measure_suspects(o, lines, result);
  const DraftProxy draft = draft_proxy(o, lines);
  m[Metric::draft_flips] = draft.flips, m[Metric::draft_shift] = draft.shift;
  measure_weights(lines, weights, m);
  result.signature = signature_of(error);
  return result;
}

}  // namespace xqacheck::properties::budget
