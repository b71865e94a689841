#include "properties/budget/causes.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include "emulation/kernels/emulate.hpp"
#include "emulation/kernels/hardware_arithmetic.hpp"
#include "properties/budget/observation.hpp"
#include "properties/budget/signs.hpp"
#include "properties/output.hpp"

namespace xqacheck::properties::budget {
namespace {

using emulation::Recipe;
using emulation::Rounding;
using emulation::RoundingSet;

constexpr double kTail = 0.025;

// One seed of the configuration, with what every evaluation needs.
class Game {
 public:
  Game(const reference::RunLine& configuration, std::uint64_t seed)
      : problem_(reference::make_problem(seeded(configuration.subject, seed))), cache_(problem_) {
    if (configuration.sm_count != 0) problem_.description.sm_count = configuration.sm_count;
    view_ = problem_.view(nullptr, nullptr);
    view_.forced_splits = configuration.forced_splits();
    reference::GoldenOptions values;
    values.error_model = false, values.threads = 1;
    const xqacheck_numerics exact{};  // q stays as it is
    want_ = reference::golden(cache_.real_view(view_), &exact, values);
    k_ = cache_.in_cache_units(false), v_ = cache_.in_cache_units(true);
    if (!configuration.subject.file.empty()) units_ = std::size_t{view_.requests} * view_.kv_heads;
  }

  const xqacheck_problem& view() const { return view_; }

  // Squared error over squared output: of the call, or of each (request, KV head) for tensors from a file.
  using PerUnit = std::vector<double>;
  std::size_t units() const { return units_; }

  PerUnit nmse(const Recipe& recipe) const { return nmse(recipe, k_, v_); }

  PerUnit nmse(const WhatIf& variant) const {
    if (variant.scales == ScaleUnit::as_given) return nmse(variant.recipe);
    const Requantised other = requantised(problem_, cache_, variant.scales);
    Recipe recipe = variant.recipe;
    recipe.roundings = recipe.roundings.without(Rounding::k).without(Rounding::v);
    return nmse(recipe, other.k, other.v);
  }

 private:
  static reference::Case seeded(reference::Case subject, std::uint64_t seed) {
    if (subject.file.empty()) subject.seed = seed;
    return subject;
  }

  PerUnit nmse(const Recipe& recipe, const std::vector<float>& k, const std::vector<float>& v) const {
    const std::vector<double> got = emulation::emulate_values(recipe, view_, {k.data(), v.data()}, {.threads = 1});
    PerUnit error(units_), square(units_);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::size_t line = i / want_.dim_v;
      if (want_.empty[line] != 0) continue;
      const std::size_t unit = units_ == 1 ? 0 : unit_of(line);
      error[unit] += (got[i] - want_.out[i]) * (got[i] - want_.out[i]), square[unit] += want_.out[i] * want_.out[i];
    }
    for (std::size_t u = 0; u < units_; ++u) error[u] = square[u] > 0 ? error[u] / square[u] : 0;
    return error;
  }

  std::size_t unit_of(std::size_t line) const {
    const auto row = static_cast<std::uint32_t>(line / view_.q_heads), head = static_cast<std::uint32_t>(line % view_.q_heads);
    return std::size_t{place_of_row(view_, row).request} * view_.kv_heads + head / (view_.q_heads / view_.kv_heads);
  }

  reference::Problem problem_;
  RealCache cache_;
  xqacheck_problem view_{};
  reference::Golden want_;
  std::vector<float> k_, v_;
  std::size_t units_ = 1;
};

Recipe with(const Recipe& recipe, const RoundingSet& roundings) {
  Recipe result = recipe;
  result.roundings = roundings;
  return result;
}

// A random order of the steps, by Fisher and Yates.
std::vector<std::size_t> order_of(std::size_t steps, std::uint64_t seed, std::uint32_t number) {
  constexpr std::uint64_t kOrders = 1u << 21;  // away from other users of sign_word()
  std::vector<std::size_t> order(steps);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = steps; i > 1; --i)
    std::swap(order[i - 1], order[sign_word(kOrders + number, seed * 64 + i) % i]);
  return order;
}

// Of one unit of one seed.
struct UnitResult {
  double total = 0;
  std::vector<double> shapley, alone, removed;
};

std::vector<UnitResult> play(const Game& game, const Recipe& recipe, const std::vector<Rounding>& steps, std::uint64_t seed,
                             std::uint32_t orders) {
  const std::size_t n = steps.size(), units = game.units();
  std::vector<UnitResult> results(units);
  const Game::PerUnit all = game.nmse(recipe), nothing = game.nmse(with(recipe, RoundingSet::none()));  // fp64's own error
  std::vector<Game::PerUnit> alone, rest;  // a step: only it rounds, all but it round
  for (const Rounding step : steps) {
    alone.push_back(game.nmse(with(recipe, RoundingSet::none().with(step))));
    rest.push_back(game.nmse(with(recipe, recipe.roundings.without(step))));
  }
  for (std::size_t u = 0; u < units; ++u) {
    UnitResult& r = results[u];
    r.total = all[u], r.shapley.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) r.alone.push_back(alone[i][u]), r.removed.push_back(all[u] - rest[i][u]);
  }
  // The first and the last step of an order are known: nothing, alone, all but one, all.
  const auto walk = [&](const std::vector<std::size_t>& order) {
    RoundingSet on = RoundingSet::none();
    Game::PerUnit before = nothing;
    for (std::size_t i = 0; i < n; ++i) {
      on = on.with(steps[order[i]]);
      Game::PerUnit after = i + 1 == n   ? all
                            : i == 0     ? alone[order[0]]
                            : i + 2 == n ? rest[order[n - 1]]
                                         : game.nmse(with(recipe, on));
      for (std::size_t u = 0; u < units; ++u) results[u].shapley[order[i]] += (after[u] - before[u]) / (2.0 * orders);
      before = std::move(after);
    }
  };
  for (std::uint32_t o = 0; o < orders; ++o) {
    std::vector<std::size_t> order = order_of(n, seed, o);
    walk(order);
    std::reverse(order.begin(), order.end());
    walk(order);
  }
  return results;
}

// use(seed index, game) for every seed, on several threads.
template <class Use>
void for_each_seed(const reference::RunLine& configuration, const CauseOptions& options, Use use) {
  const std::uint64_t seeds = configuration.subject.file.empty() ? options.seeds : 1;
  std::atomic<std::uint64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr error;
  const auto work = [&] {
    omp_set_num_threads(1);  // seeds run in parallel, not their parts
    try {
      for (std::uint64_t i = next++; i < seeds; i = next++) use(i, Game(configuration, options.first_seed + i));
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
      next = seeds;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < std::max(1, options.threads); ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
}

std::uint64_t seed_count(const reference::RunLine& configuration, const CauseOptions& options) {
  return configuration.subject.file.empty() ? options.seeds : 1;
}

}  // namespace

std::vector<Rounding> rounding_steps(const Recipe& recipe, const xqacheck_problem& problem) {
  const emulation::Call call(problem);
  const bool gmma = recipe.family == emulation::Family::gmma;
  bool split = false;
  for (const emulation::Block& block : emulation::make_blocks(recipe, call)) split = split || block.splits > 1;
  std::vector<Rounding> steps;
  for (std::size_t i = 0; i < emulation::kRoundings; ++i) {
    const auto step = static_cast<Rounding>(i);
    if (!recipe.roundings.on(step)) continue;
    if (step == Rounding::q && !emulation::e4m3_operands(recipe, call)) continue;
    // The mma.sync kernels merge 16-bit tiles of warp groups even where there is one split.
    if ((step == Rounding::partial || step == Rounding::merge) && gmma && !split) continue;
    steps.push_back(step);
  }
  return steps;
}

CauseSplit split_by_cause(const Recipe& recipe, const reference::RunLine& configuration, const CauseOptions& options) {
  std::vector<std::vector<UnitResult>> by_seed(seed_count(configuration, options));
  std::vector<Rounding> steps;
  std::once_flag once;
  for_each_seed(configuration, options, [&](std::uint64_t i, const Game& game) {
    std::call_once(once, [&] { steps = rounding_steps(recipe, game.view()); });
    by_seed[i] = play(game, recipe, steps, options.first_seed + i, options.orders);
  });
  CauseSplit split;
  std::vector<UnitResult> results;
  for (auto& units : by_seed) results.insert(results.end(), units.begin(), units.end());
  const auto samples = static_cast<double>(results.size());
  std::vector<double> totals;
  for (const UnitResult& r : results) totals.push_back(r.total), split.samples.push_back(r.shapley);
  split.total = interval_of(Kind::size, totals, kTail);
  split.interaction = split.total.mean;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    Cause cause;
    cause.step = emulation::kRoundingNames[static_cast<std::size_t>(steps[s])];
    std::vector<double> shares;
    for (const UnitResult& r : results) {
      shares.push_back(r.shapley[s]);
      cause.alone += r.alone[s] / samples;
      cause.removed += r.removed[s] / samples;
    }
    cause.share = interval_of(Kind::balance, shares, kTail);  // of either sign: a rounding may hide another's error
    split.interaction -= cause.alone;
    split.causes.push_back(cause);
  }
  return split;
}

std::vector<StoredCause> stored_causes(const CauseSplit& split) {
  std::vector<StoredCause> stored;
  const double total = split.total.mean;
  for (const Cause& c : split.causes)
    stored.push_back({c.step, c.share.mean / total, c.share.low / total, c.share.high / total});
  return stored;
}

std::string moved_cause(const std::vector<StoredCause>& then, const std::vector<StoredCause>& now) {
  double furthest = 0;
  std::string text;
  for (const StoredCause& a : then) {
    for (const StoredCause& b : now) {
      if (a.step != b.step || (a.low <= b.high && b.low <= a.high)) continue;
      if (std::fabs(a.share - b.share) <= furthest) continue;
      furthest = std::fabs(a.share - b.share);
      text = fmt::format("share of {}: {:.1f} % ({:.1f} to {:.1f}) before, now {:.1f} % ({:.1f} to {:.1f})", a.step,
                         100 * a.share, 100 * a.low, 100 * a.high, 100 * b.share, 100 * b.low, 100 * b.high);
    }
  }
  return text;
}

std::vector<WhatIfResult> try_out(const Recipe& recipe, const reference::RunLine& configuration,
                                  const std::vector<WhatIf>& variants, const CauseOptions& options) {
  const std::uint64_t seeds = seed_count(configuration, options);
  // [seed][variant], the recipe itself last.
  std::vector<std::vector<Game::PerUnit>> by_seed(seeds);
  for_each_seed(configuration, options, [&](std::uint64_t i, const Game& game) {
    for (const WhatIf& variant : variants) by_seed[i].push_back(game.nmse(variant));
    by_seed[i].push_back(game.nmse(recipe));
  });
  const auto joined = [&](std::size_t which) {
    std::vector<double> values;
    for (const auto& seed : by_seed) values.insert(values.end(), seed[which].begin(), seed[which].end());
    return values;
  };
  const std::vector<double> base = joined(variants.size());
  std::vector<WhatIfResult> results;
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const std::vector<double> nmse = joined(v);
    WhatIfResult result{variants[v].name, interval_of(Kind::size, nmse, kTail), {}};
    std::vector<double> logs;
    for (std::size_t i = 0; i < nmse.size(); ++i)
      if (nmse[i] > 0 && base[i] > 0) logs.push_back((std::log(nmse[i]) - std::log(base[i])) / 2);
    result.change = paired_change(logs, kTail);
    for (double* x : {&result.change.mean, &result.change.low, &result.change.high}) *x = std::expm1(*x);
    results.push_back(result);
  }
  return results;
}

}  // namespace xqacheck::properties::budget
