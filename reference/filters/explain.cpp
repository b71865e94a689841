#include "reference/filters/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/filters/candidate.hpp"
#include "reference/filters/heat_map.hpp"
#include "reference/golden/element.hpp"

namespace xqacheck::reference::filters {
namespace {

// Two suspects count as one when the angle between their changes hides in less than 2 % of the signal.
constexpr double kSameDirection = 0.98;
// A suspect is taken out only if it removes this share of the error that is there; less may be chance.
constexpr double kWorthRemoving = 0.1;
constexpr std::size_t kMostRemoved = 3;
constexpr std::size_t kRanked = 8;

struct Judged {
  const Candidate* candidate;
  Tally tally;
  double amplitude, gain;
};

Judged judge_candidate(const Context& c, const Candidate& candidate, const std::vector<double>& error) {
  Judged j{&candidate, tally_of(c, candidate.change, error), 1, 0};
  if (has_strength(candidate.suspect.fault)) {
    j.amplitude = j.tally.amplitude();
    j.gain = j.tally.explained_fitted();
  } else {
    j.gain = j.tally.explained_in_full();
  }
  // A row of garbage explains itself whatever it is, its ordinary noise included: that does not count, and it stands
  // for its error only when nothing with a meaning does as well.
  if (candidate.suspect.fault == Fault::row_garbage) j.gain = 0.95 * j.gain - c.problem.head_dim_v;
  if (!std::isfinite(j.gain)) j.gain = 0;  // a change beyond all numbers explains nothing
  return j;
}

std::vector<Judged> rank(const Context& c, const std::vector<Candidate>& candidates, const std::vector<double>& error) {
  std::vector<Judged> ranked;
  for (const Candidate& candidate : candidates) ranked.push_back(judge_candidate(c, candidate, error));
  std::stable_sort(ranked.begin(), ranked.end(), [](const Judged& a, const Judged& b) { return a.gain > b.gain; });
  return ranked;
}

double noise_sum(const Context& c, const std::vector<double>& error) {
  double sum = 0;
  for (std::size_t i = 0; i < error.size(); ++i) sum += c.evidence.weight[i] * error[i] * error[i];
  return sum;
}

std::uint64_t count_outside(const Context& c, const std::vector<double>& error) {
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    const double half_cell = std::sqrt(12 * c.evidence.grid_variance[i]) / 2;
    const double whole = error[i] + (c.aligned() ? c.predicted[i] : 0);
    if (c.evidence.weight[i] > 0 && std::fabs(whole) > c.golden.worst[i] + half_cell) ++outside;
  }
  return outside;
}

// Does the best candidate leave an error that no candidate sees any more? Then nothing else needs to be tried.
bool clears(const Context& c, const std::vector<Candidate>& candidates) {
  constexpr double kUnseen =
      5;  // standard deviations of independent elements; a correct kernel's heavy tokens reach that
  std::vector<double> error = c.evidence.error;
  const std::vector<Judged> ranked = rank(c, candidates, error);
  if (ranked.empty() || ranked.front().candidate->suspect.fault == Fault::row_garbage) return false;
  const Judged& best = ranked.front();
  for (std::size_t i = 0; i < error.size(); ++i) error[i] -= best.amplitude * best.candidate->change[i];
  if (noise_sum(c, error) > static_cast<double>(c.evidence.judged) || count_outside(c, error) > 0) return false;
  return std::none_of(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
    return candidate.suspect.fault != Fault::row_garbage &&
           std::fabs(tally_of(c, candidate.change, error).sigmas()) > kUnseen;
  });
}

bool same_direction(const Context& c, const Judged& a, const Judged& b) {
  if (!a.tally.seen() || !b.tally.seen()) return false;
  const double product = tally_of(c, a.candidate->change, b.candidate->change).a;
  return std::fabs(product) > kSameDirection * std::sqrt(a.tally.n * b.tally.n);
}

Culprit culprit_of(const Judged& j, double whole) {
  Culprit culprit{j.candidate->suspect, j.amplitude, j.tally.sigmas(), whole > 0 ? j.gain / whole : 0, {}};
  if (j.candidate->suspect.fault == Fault::edit || j.candidate->suspect.fault == Fault::row_garbage) culprit.sigmas = 0;
  return culprit;
}

// Ranked list with suspects that nobody can tell apart folded into the first of them.
std::vector<Culprit> fold(const Context& c, const std::vector<Judged>& ranked, double whole) {
  std::vector<Culprit> culprits;
  std::vector<const Judged*> leaders;
  for (const Judged& j : ranked) {
    if (j.gain <= 0) break;
    bool folded = false;
    for (std::size_t k = 0; k < leaders.size() && !folded; ++k) {
      // Alike, and as good an explanation: a half of the fault is another fault.
      if (j.gain < kSameDirection * leaders[k]->gain || !same_direction(c, *leaders[k], j)) continue;
      culprits[k].same_as.push_back(text_of(j.candidate->suspect, j.amplitude));
      folded = true;
    }
    if (folded || culprits.size() == kRanked) continue;
    leaders.push_back(&j);
    culprits.push_back(culprit_of(j, whole));
  }
  return culprits;
}

}  // namespace

Explanation explain(const Context& c, const Screen& screen, const FilterReport& report,
                    const xqacheck_numerics* numerics, const ExplainOptions& options) {
  Explanation x;
  std::vector<double> error = c.evidence.error;
  std::vector<Candidate> candidates = near_candidates(c, screen, report, options);
  if (!clears(c, candidates)) {
    for (Candidate& candidate : far_candidates(c, numerics, options)) candidates.push_back(std::move(candidate));
  }
  const double whole = noise_sum(c, error), judged = static_cast<double>(std::max<std::uint64_t>(c.evidence.judged, 1));
  x.elements = c.evidence.judged;
  x.noise = whole / judged;
  x.outside = count_outside(c, error);
  for (std::size_t round = 0; round < kMostRemoved; ++round) {
    const double left = noise_sum(c, error);
    if (round > 0 && left / judged <= 1) break;  // nothing but what a correct kernel leaves
    const std::vector<Judged> ranked = rank(c, candidates, error);
    if (round == 0) x.ranked = fold(c, ranked, whole);
    if (ranked.empty() || ranked.front().gain < kWorthRemoving * left) break;
    const Judged& best = ranked.front();
    x.removed.push_back(culprit_of(best, whole));
    for (std::size_t i = 0; i < error.size(); ++i) error[i] -= best.amplitude * best.candidate->change[i];
  }
  x.noise_left = noise_sum(c, error) / judged;
  x.outside_left = count_outside(c, error);
  x.heat = heat_map(c, screen);
  return x;
}

std::vector<std::string> lines_of(const Explanation& x) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("error {:.3g} times the declared rounding (rms), {} of {} elements outside the bound",
                              std::sqrt(x.noise), x.outside, x.elements));
  int number = 0;
  for (const Culprit& k : x.ranked) {
    std::string line = fmt::format("{}. {}", ++number, k.text());
    if (k.sigmas != 0) line += fmt::format(" ({:.0f} sigma)", std::fabs(k.sigmas));
    line += fmt::format(", explains {:.1f} % of the error", 100 * k.share);
    constexpr std::size_t kShown = 3;
    for (std::size_t i = 0; i < std::min(kShown, k.same_as.size()); ++i) {
      line += (i == 0 ? "; cannot be told apart from: " : ", ") + k.same_as[i];
    }
    if (k.same_as.size() > kShown) line += fmt::format(" and {} more", k.same_as.size() - kShown);
    lines.push_back(line);
    if (number == 5) break;  // a reader looks at the first few
  }
  if (x.ranked.empty()) lines.push_back("no known fault explains the error");
  if (!x.removed.empty()) {
    std::string names;
    for (const Culprit& k : x.removed) names += (names.empty() ? "" : " and ") + k.text();
    lines.push_back(fmt::format("without {}: {:.3g} times the declared rounding, {} elements outside", names,
                                std::sqrt(x.noise_left), x.outside_left));
  }
  lines.insert(lines.end(), x.heat.begin(), x.heat.end());
  return lines;
}

}  // namespace xqacheck::reference::filters
