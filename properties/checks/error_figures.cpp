#include "properties/checks/error_figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/output.hpp"
#include "reference/judge.hpp"

namespace xqacheck::properties {
namespace {

// A map is looked at, and stored with every failure that is drawn: more cells than these nobody tells apart.
constexpr std::uint32_t kMostRows = 32, kMostColumns = 64;

struct Element {
  std::uint32_t row, head, dim;
  double error;  // |got - want|, NaN where `got` is
  double want;
  double rounding;         // that writing the number explains: half a step of the output format
  double worst, variance;  // of the error before that
};

template <class Visit>
void for_each_judged(const xqacheck_problem& problem, const reference::Golden& golden,
                     const xqacheck_numerics& numerics, const std::vector<std::byte>& out, Visit visit) {
  const bool twice =
      problem.out.dtype == XQACHECK_E4M3 && numerics.double_rounded_output != 2;  // as reference/judge.cpp
  const std::uint32_t first_dtype = twice ? problem.q.dtype : std::uint32_t{XQACHECK_NONE};
  std::size_t at = 0;
  for (std::uint32_t row = 0; row < golden.rows; ++row) {
    for (std::uint32_t head = 0; head < golden.heads; ++head) {
      for (std::uint32_t dim = 0; dim < golden.dim_v; ++dim, ++at) {
        const double want = golden.out[at], worst = golden.worst[at];
        if (!std::isfinite(worst) || !std::isfinite(want)) continue;
        const double got = decode(problem.out.dtype, out.data() + out_offset(problem, row, head, dim));
        const double rounding =
            std::isnan(got) ? 0 : reference::output_rounding(got, want, problem.out.dtype, first_dtype);
        visit(Element{row, head, dim, std::fabs(got - want), want, rounding, worst,
                      golden.sigma[at] * golden.sigma[at] + golden.bias[at] * golden.bias[at]});
      }
    }
  }
}

class MapMaker {
 public:
  MapMaker(std::string rows, std::uint32_t row_count, std::string columns, std::uint32_t column_count)
      : map_{std::move(rows),
             std::move(columns),
             row_count,
             column_count,
             std::min(row_count, kMostRows),
             std::min(column_count, kMostColumns),
             {}} {
    map_.cells.assign(std::size_t{map_.cell_rows} * map_.cell_columns, ErrorMap::kNothing);
  }

  void add(std::uint32_t row, std::uint32_t column, double share) {
    const std::size_t r = std::size_t{row} * map_.cell_rows / map_.row_count;
    const std::size_t c = std::size_t{column} * map_.cell_columns / map_.column_count;
    double& cell = map_.cells[r * map_.cell_columns + c];
    cell = std::max(cell, share);
  }

  ErrorMap take() { return std::move(map_); }

 private:
  ErrorMap map_;
};

}  // namespace

ErrorFigures error_figures(const xqacheck_problem& problem, const reference::Golden& golden,
                           const xqacheck_numerics& numerics, const std::vector<std::byte>& out) {
  ErrorFigures figures;
  double count = 0, error = 0, variance = 0, limit = 0, signal = 0;
  bool nan = false;
  for_each_judged(problem, golden, numerics, out, [&](const Element& e) {
    ++count;
    error += e.error * e.error;
    signal += e.want * e.want;
    nan = nan || std::isnan(e.error);
    figures.largest = std::max(figures.largest, e.error);
    // Saturation explains an error of any size: nothing then to add.
    const double rounding = std::isfinite(e.rounding) ? e.rounding : 0;
    variance += e.variance + rounding * rounding / 3;  // uniform within half a step to both sides
    limit += (e.worst + rounding) * (e.worst + rounding);
  });
  if (count == 0) return figures;
  figures.rms = std::sqrt(error / count), figures.sigma = std::sqrt(variance / count);
  figures.limit = std::sqrt(limit / count), figures.signal = std::sqrt(signal / count);
  if (nan) figures.largest = std::numeric_limits<double>::quiet_NaN();
  return figures;
}

std::vector<ErrorMap> error_maps(const xqacheck_problem& problem, const reference::Golden& golden,
                                 const xqacheck_numerics& numerics, const std::vector<std::byte>& out) {
  MapMaker channels("head", golden.heads, "dim", golden.dim_v);
  MapMaker rows("request", problem.requests, "row", problem.max_rows * problem.beam_width);
  for_each_judged(problem, golden, numerics, out, [&](const Element& e) {
    // Where nothing is allowed, any error is beyond all measure.
    const double allowed = e.worst + e.rounding;
    const double share = e.error == 0 ? 0 : std::isnan(e.error) || allowed == 0 ? HUGE_VAL : e.error / allowed;
    const RowPlace place = place_of_row(problem, e.row);
    channels.add(e.head, e.dim, share);
    rows.add(place.request, place.row, share);
  });
  return {channels.take(), rows.take()};
}

}  // namespace xqacheck::properties
