#include "reference/filters/candidate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reference/filters/edits.hpp"
#include "reference/filters/merge.hpp"
#include "reference/filters/page_search.hpp"
#include "reference/filters/readings.hpp"

namespace xqacheck::reference::filters {
namespace {

constexpr double kWorthALook = 3;  // standard deviations in the screen
constexpr std::size_t kCandidatesPerFault = 3;
constexpr std::size_t kPagesSearched = 2;  // pages for which a replacement is looked for
constexpr std::uint32_t kMostSplits = 8;   // sub-sequence counts tried when the real one is not known

bool is_page(Fault fault) {
  return fault == Fault::page_missing || fault == Fault::page_value;
}

std::vector<Suspect> from_screen(const Context& c, const Screen& screen) {
  std::vector<Scored> all = list_suspects(c, screen, kWorthALook);
  std::stable_sort(all.begin(), all.end(), [](const Scored& a, const Scored& b) {
    return std::fabs(a.tally.sigmas()) > std::fabs(b.tally.sigmas());
  });
  std::map<Fault, std::size_t> taken;
  std::vector<Suspect> chosen;
  for (const Scored& s : all) {
    if (taken[s.suspect.fault]++ < kCandidatesPerFault) chosen.push_back(s.suspect);
  }
  return chosen;
}

// A page whose keys alone are wrong shows up as many wrong tokens; its page is where they add up.
Suspect page_of_tokens(const Context& c, const Screen& screen) {
  Suspect best{.fault = Fault::page_missing};
  double most = 0;
  for (std::size_t i = 0; i < screen.sequences.size(); ++i) {
    const SequenceTallies& t = screen.sequences[i];
    const Sequence& s = c.sight.sequences()[i];
    for (std::size_t page = 0; page < t.page_missing.size(); ++page) {
      double sum = 0;
      for (std::size_t j = page * c.page_tokens;
           j < std::min<std::size_t>((page + 1) * c.page_tokens, t.missing.size()); ++j) {
        sum += t.missing[j].sigmas() * t.missing[j].sigmas();
      }
      if (sum <= most) continue;
      most = sum;
      best.request = static_cast<std::int32_t>(s.request);
      best.token = t.first + static_cast<std::int64_t>(page * c.page_tokens);
      best.tokens = std::min<std::int64_t>(c.page_tokens, s.length - best.token);
      best.page = static_cast<std::int32_t>(best.token / c.page_tokens);
    }
  }
  return best;
}

std::vector<Suspect> replaced_pages(const Context& c, const Screen& screen, const std::vector<Suspect>& chosen,
                                    int threads) {
  std::vector<Suspect> found;
  std::set<std::pair<std::int32_t, std::int32_t>> done;
  std::map<Fault, std::size_t> taken;
  const auto search = [&](const Suspect& page) {
    if (page.request < 0 || page.tokens <= 0 || !done.insert({page.request, page.page}).second) return;
    for (const Suspect& s : search_pages(c, page, threads)) found.push_back(s);
  };
  for (const Suspect& s : chosen) {
    if (is_page(s.fault) && taken[s.fault]++ < kPagesSearched) search(s);
  }
  search(page_of_tokens(c, screen));
  return found;
}

std::vector<double> difference(const std::vector<double>& out, const std::vector<double>& golden) {
  std::vector<double> change(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double d = out[i] - golden[i];
    change[i] = std::isfinite(d) ? d : 0;
  }
  return change;
}

// The (row, head) with the largest error, everything else being right.
Candidate worst_row(const Context& c) {
  const std::size_t dim = c.golden.dim_v;
  std::size_t worst = 0;
  double most = -1;
  for (std::size_t row = 0; row < c.golden.lse.size(); ++row) {
    double sum = 0;
    for (std::size_t i = row * dim; i < (row + 1) * dim; ++i)
      sum += c.evidence.weight[i] * c.evidence.error[i] * c.evidence.error[i];
    if (sum > most) most = sum, worst = row;
  }
  Candidate candidate{Suspect{.fault = Fault::row_garbage}, std::vector<double>(c.golden.out.size(), 0)};
  candidate.suspect.head = static_cast<std::int32_t>(worst % c.problem.q_heads);
  const std::size_t row = worst / c.problem.q_heads;
  for (const Sequence& s : c.sight.sequences()) {
    if (row < s.first_row || row >= s.first_row + s.rows) continue;
    candidate.suspect.request = static_cast<std::int32_t>(s.request);
    candidate.suspect.row = static_cast<std::int32_t>(row - s.first_row);
  }
  for (std::size_t i = worst * dim; i < (worst + 1) * dim; ++i) candidate.change[i] = c.evidence.error[i];
  return candidate;
}

// Sub-sequence counts beyond the number of tiles are the same as one tile each.
void add_merges(const Context& c, std::uint32_t splits, std::vector<Candidate>& candidates) {
  constexpr std::int64_t kTile = 64;
  std::int64_t longest = 0;
  for (const Sequence& s : c.sight.sequences()) longest = std::max(longest, s.length);
  const auto tiles = static_cast<std::uint32_t>((longest + kTile - 1) / kTile);
  const std::uint32_t fewest = splits > 1 ? splits : 2, most = splits > 1 ? splits : std::min(kMostSplits, tiles);
  for (std::uint32_t s = fewest; s <= most; ++s) {
    for (Split split : {Split::contiguous, Split::interleaved}) {
      Suspect suspect{.fault = Fault::merge_unscaled};
      suspect.other = s;
      suspect.tokens = split == Split::interleaved ? 1 : 0;
      candidates.push_back({suspect, difference(merged_unscaled(c, s, split), c.golden.out)});
    }
  }
}

}  // namespace

Tally tally_of(const Context& c, const std::vector<double>& change, const std::vector<double>& error) {
  Tally tally;
  for (std::size_t i = 0; i < change.size(); ++i) {
    const double w = c.evidence.weight[i];
    tally.add(w * error[i] * change[i], w * change[i] * change[i]);
  }
  return tally;
}

std::vector<Candidate> near_candidates(const Context& c, const Screen& screen, const FilterReport& report,
                                       const ExplainOptions& options) {
  std::vector<Suspect> suspects = from_screen(c, screen);
  for (const Finding& f : report.alarms) {
    if (f.suspect.fault != Fault::noise && std::find(suspects.begin(), suspects.end(), f.suspect) == suspects.end()) {
      suspects.push_back(f.suspect);
    }
  }
  for (const Suspect& s : replaced_pages(c, screen, suspects, options.threads)) suspects.push_back(s);
  suspects.push_back(Suspect{.fault = Fault::output_zero});
  std::vector<Candidate> candidates;
  for (const Suspect& s : suspects) candidates.push_back({s, change_of_run(c, s, screen.softmax_sensitivity)});
  candidates.push_back(worst_row(c));
  return candidates;
}

std::vector<Candidate> far_candidates(const Context& c, const xqacheck_numerics* numerics,
                                      const ExplainOptions& options) {
  std::vector<Candidate> candidates;
  add_merges(c, options.splits, candidates);
  for (const Reading& reading : readings()) {
    const std::vector<double> out = output_of(reading, c.problem, numerics, options.threads);
    if (out.size() != c.golden.out.size()) continue;
    Suspect suspect{.fault = Fault::edit};
    suspect.reading = reading.name;
    candidates.push_back({suspect, difference(out, c.golden.out)});
  }
  return candidates;
}

}  // namespace xqacheck::reference::filters
