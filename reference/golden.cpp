#include "reference/golden.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>

#include "reference/golden/bound.hpp"
#include "reference/golden/tensor.hpp"
#include "reference/golden/unit.hpp"

namespace xqacheck::reference {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// Units are worked on together until their scratch reaches this: enough tasks for every core, little memory.
constexpr double kScratchBytes = 128e6;

// Runs body(0) … body(count - 1) on any thread in any order; rethrows the first exception.
template <class Body>
void parallel_for(std::size_t count, int threads, const Body& body) {
  std::exception_ptr failure;
  std::mutex mutex;
  const int workers = std::min<int>(threads > 0 ? threads : omp_get_max_threads(),
                                    static_cast<int>(std::min<std::size_t>(count, 4096)));
#pragma omp parallel for schedule(dynamic) num_threads(std::max(workers, 1))
  for (std::size_t i = 0; i < count; ++i) {
    try {
      body(i);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

class Model {
 public:
  Model(const xqacheck_problem& p, const xqacheck_numerics* numerics, const GoldenOptions& options)
      : p_(p),
        options_(options),
        model_(rounding_model(p, numerics)),
        sight_(p),
        queries_(make_queries(p, sight_, model_.q_format)),
        appended_(make_appended(p, sight_)),
        cache_(p, appended_) {
    g_.rows = p.total_rows;
    g_.heads = p.q_heads;
    g_.dim_v = p.head_dim_v;
    const std::size_t heads = std::size_t{g_.rows} * g_.heads;
    g_.out.assign(heads * g_.dim_v, 0);
    g_.lse.assign(heads, -kInf);
    g_.sum_p_abs_v.assign(heads * g_.dim_v, 0);
    g_.empty.assign(heads, 1);
    g_.special.assign(heads, 0);
    if (options.scale_slope) g_.scale_slope.assign(g_.out.size(), 0);
    if (!options.error_model) return;
    g_.worst.assign(g_.out.size(), 0);
    g_.sigma.assign(g_.out.size(), 0);
    g_.bias.assign(g_.out.size(), 0);
    g_.coherent.assign(g_.out.size(), 0);
    g_.own.assign(g_.out.size(), 0);
    g_.copies.assign(heads, 1);
    g_.lse_worst.assign(heads, 0);
  }

  Golden run() {
    const auto& sequences = sight_.sequences();
    std::vector<std::unique_ptr<Unit>> wave;
    double bytes = 0;
    // Coarse accumulators shrink the scores coherently: the bias needs the slope.
    const bool coarse = model_.truncates && model_.grid > 0x1p-20;
    const UnitOptions wanted{options_.error_model, options_.scale_slope || (options_.error_model && coarse)};
    for (const Sequence& s : sequences) {
      for (std::uint32_t g = 0; g < p_.kv_heads; ++g) {
        wave.push_back(std::make_unique<Unit>(p_, sight_, cache_, queries_, model_, s, g, wanted));
        bytes += wave.back()->scratch_bytes();
        if (bytes > kScratchBytes) {
          finish(wave);
          bytes = 0;
        }
      }
    }
    finish(wave);
    return std::move(g_);
  }

 private:
  void finish(std::vector<std::unique_ptr<Unit>>& wave) {
    struct Task {
      Unit* unit;
      std::size_t chunk;
    };
    std::vector<Task> tasks;
    for (auto& unit : wave) {
      for (std::size_t c = 0; c < unit->chunks(); ++c) tasks.push_back({unit.get(), c});
    }
    parallel_for(tasks.size(), options_.threads, [&](std::size_t i) { tasks[i].unit->score(tasks[i].chunk); });
    for (auto& unit : wave) unit->settle();
    parallel_for(tasks.size(), options_.threads, [&](std::size_t i) { tasks[i].unit->weigh(tasks[i].chunk); });
    parallel_for(wave.size(), options_.threads, [&](std::size_t i) { merge(*wave[i]); });
    wave.clear();
  }

  double sink_of(std::uint32_t head) const {
    return p_.sinks.data == nullptr ? -kInf : number_at(p_.sinks, "sinks", head);
  }

  void merge(const Unit& unit) {
    for (std::size_t r = 0; r < unit.rows().size(); ++r) merge_row(unit, r);
  }

  void merge_row(const Unit& unit, std::size_t r) {
    const Row& row = unit.rows()[r];
    const std::size_t index = (unit.sequence().first_row + row.draft) * g_.heads + row.head;
    const std::size_t dim = g_.dim_v;
    double* out = g_.out.data() + index * dim;
    const double sink = sink_of(row.head);
    if (!row.nan && !row.any) {  // empty: 0, whatever V holds; the LSE is the sink
      g_.lse[index] = sink;
      g_.special[index] = std::isnan(sink) || sink == kInf;
      return;
    }
    g_.empty[index] = 0;
    if (row.nan || std::isnan(sink)) {
      std::fill_n(out, dim, kNan);
      g_.lse[index] = kNan;
      g_.special[index] = 1;
      return;
    }
    RowSums sums;
    Coherence coherence;
    for (const Chunk& chunk : unit.results()) {
      sums.add(chunk.sums[r]);
      if (options_.error_model) coherence.add(chunk.coherence[r]);
    }
    const double max = row.weights.max;
    // The reference point of the sum is whichever is larger, so that nothing overflows.
    g_.lse[index] =
        sink > max ? sink + std::log1p(sums.e * std::exp(max - sink)) : max + std::log(sums.e + std::exp(sink - max));
    if (sink == kInf) g_.special[index] = 1;
    const RowError error = row_error(p_, model_, unit, row, sums, coherence, sink, g_.lse[index]);
    if (options_.error_model) g_.lse_worst[index] = error.lse_worst, g_.copies[index] = std::max(unit.copies(), 1u);
    for (std::size_t d = 0; d < dim; ++d) {
      const ElementSums s = element_sums(unit, r, d);
      const std::size_t element = index * dim + d;
      out[d] = s.out / error.z * error.out_scale;
      if (options_.scale_slope) g_.scale_slope[element] = slope_of(error, s) * error.out_scale;
      if (!options_.error_model) continue;
      const ElementError e = element_error(model_, error, s);
      g_.worst[element] = e.worst;
      g_.sigma[element] = e.sigma;
      g_.bias[element] = e.bias;
      g_.coherent[element] = e.coherent;
      g_.own[element] = e.own;
      g_.sum_p_abs_v[element] = s.abs / error.z * std::fabs(error.out_scale);
    }
    for (const Chunk& chunk : unit.results()) {
      for (const Blemish& b : chunk.blemishes) {
        if (!unit.sees(row, b.token)) continue;
        // Weight 0 times infinity is NaN; opposite infinities add to NaN, and so does anything with a NaN.
        out[b.channel] = blemished(out[b.channel], b.value * error.out_scale, unit.weight_is_zero(r, b.token));
        g_.special[index] = 1;
      }
    }
  }

  // The planes of all chunks, in chunk order.
  ElementSums element_sums(const Unit& unit, std::size_t r, std::size_t d) const {
    const std::size_t at = r * g_.dim_v + d;
    const auto plane = [at](const Chunk& chunk, Plane i) { return chunk.planes[i].empty() ? 0 : chunk.planes[i][at]; };
    ElementSums s;
    for (const Chunk& chunk : unit.results()) {
      s.reach = std::max(s.reach, std::fabs(s.out) + plane(chunk, kReach));
      s.out += plane(chunk, kOut);
      s.abs += plane(chunk, kAbs);
      s.rest += plane(chunk, kRest);
      s.spread += plane(chunk, kSpread);
      s.slope += plane(chunk, kSlope);
      if (!options_.error_model) continue;
      s.signs += chunk.signs[d];
      s.largest = std::max(s.largest, chunk.largest[d]);
    }
    return s;
  }

  static double blemished(double out, double value, bool weightless) {
    if (std::isnan(value) || weightless || std::isnan(out)) return kNan;
    return std::isinf(out) && std::signbit(out) != std::signbit(value) ? kNan : value;
  }

  const xqacheck_problem& p_;
  GoldenOptions options_;
  RoundingModel model_;
  Sight sight_;
  Queries queries_;
  Appended appended_;
  CacheReader cache_;
  Golden g_;
};

}  // namespace

Golden golden(const xqacheck_problem& problem, const xqacheck_numerics* numerics, const GoldenOptions& options) {
  return Model(problem, numerics, options).run();
}

}  // namespace xqacheck::reference
