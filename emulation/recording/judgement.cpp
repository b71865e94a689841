#include "emulation/recording/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>

#include "emulation/kernels/geometry.hpp"
#include "emulation/kernels/numerics.hpp"
#include "reference/golden.hpp"

namespace xqacheck::emulation {

namespace {

using Place = std::pair<std::uint32_t, std::uint32_t>;  // (query row of the call, query head)
using Places = std::set<Place>;

// A fault that a kernel may have, and the bad rows that are right if it has it.
struct Hypothesis {
  std::string what;
  Places explains;
};

constexpr std::size_t kAllFaults = std::size_t{1} << 24;  // every element of a recording
// A denominator beyond 2^126 has a denormal reciprocal, which is flushed to zero.
constexpr double kOverflow = 87.336545;  // ln(2^126)
// Masked scores are -1e5: rows whose scores are all below see them.
constexpr double kSentinel = -99000;

class Judge {
 public:
  explicit Judge(const Recording& recording)
      : recording_(recording), view_(recording.problem.view(nullptr, nullptr)), call_(view_) {
    if (recording.recipe) numerics_ = numerics_of(*recording.recipe, view_), has_numerics_ = true;
  }

  RecordedJudgement run() {
    const reference::Golden truth = golden(view_);
    RecordedJudgement result;
    result.judgement = judged(view_, truth);
    const Places bad = places_of(result.judgement);
    result.bad_rows = static_cast<std::uint32_t>(bad.size());
    note_overflows(result);
    if (bad.empty()) return result;
    std::vector<Hypothesis> hypotheses;
    suspect_sinks(bad, hypotheses);
    suspect_masks(bad, hypotheses);
    suspect_windows(bad, hypotheses);
    suspect_range(truth, bad, hypotheses);
    result.unexplained = book(hypotheses, bad, result.causes);
    return result;
  }

 private:
  reference::Golden golden(const xqacheck_problem& problem) const {
    return reference::golden(problem, has_numerics_ ? &numerics_ : nullptr);
  }

  reference::Judgement judged(const xqacheck_problem& problem, const reference::Golden& truth) const {
    reference::JudgeOptions options;
    options.most_faults = kAllFaults;
    const bool lse = !recording_.lse.empty();
    return reference::judge(problem, truth, has_numerics_ ? &numerics_ : nullptr, recording_.out.data(), recording_.out.size(),
                            lse ? recording_.lse.data() : nullptr, recording_.lse.size(), options);
  }

  static Places places_of(const reference::Judgement& judgement) {
    Places places;
    for (const reference::Fault& fault : judgement.faults) places.emplace(fault.row, fault.head);
    return places;
  }

  // Rows of `bad` that are right when the problem is `hypothesis`.
  Places explained_by(const xqacheck_problem& hypothesis, const Places& bad) const {
    const Places still = places_of(judged(hypothesis, golden(hypothesis)));
    Places explained;
    std::set_difference(bad.begin(), bad.end(), still.begin(), still.end(), std::inserter(explained, explained.begin()));
    return explained;
  }

  // The fault that explains most rows comes first; a row that several explain counts for that one. Returns the rows left over.
  static std::uint32_t book(std::vector<Hypothesis> hypotheses, Places bad, std::vector<Cause>& causes) {
    while (true) {
      const auto best = std::max_element(hypotheses.begin(), hypotheses.end(), [](const auto& a, const auto& b) {
        return a.explains.size() < b.explains.size();
      });
      if (best == hypotheses.end() || best->explains.empty()) return static_cast<std::uint32_t>(bad.size());
      const Places rows = best->explains;
      std::string where;
      for (auto place = rows.begin(); place != rows.end() && std::distance(rows.begin(), place) < 3; ++place) {
        where += fmt::format("{}row {} head {}", where.empty() ? "" : ", ", place->first, place->second);
      }
      if (rows.size() > 3) where += " …";
      causes.push_back({best->what, static_cast<std::uint32_t>(rows.size()), where});
      for (const Place& place : rows) {
        bad.erase(place);
        for (Hypothesis& hypothesis : hypotheses) hypothesis.explains.erase(place);
      }
    }
  }

  // Sinks: left out, or taken from another head of the group.
  void suspect_sinks(const Places& bad, std::vector<Hypothesis>& hypotheses) const {
    if (!call_.has_sinks()) return;
    hypotheses.push_back({"sinks are dropped", explained_by(without_sinks(), bad)});
    Hypothesis last{"rows after the first draft token get the sink of the last head of their group", {}};
    Hypothesis block{fmt::format("rows of later 32-row blocks get the sink of a wrong head (32 mod {} is not 0)", call_.group), {}};
    Hypothesis other{"rows get the sink of another head of their group", {}};
    for (std::uint32_t head = 0; head < call_.group; ++head) {
      // Every row gets the sink of head `head` of its group.
      std::vector<float> sinks(view_.q_heads);
      for (std::uint32_t h = 0; h < view_.q_heads; ++h) sinks[h] = call_.sink(h / call_.group * call_.group + head);
      xqacheck_problem shifted = view_;
      shifted.sinks.data = sinks.data();
      for (const Place& place : explained_by(shifted, bad)) {
        const std::uint32_t flat = draft_of(place.first) * call_.group + place.second % call_.group;
        if (flat % 32 % call_.group == head) block.explains.insert(place);
        if (head + 1 == call_.group) last.explains.insert(place);
        other.explains.insert(place);
      }
    }
    // The vague one last: it only gets what the others leave.
    for (const Hypothesis& known : {last, block}) {
      for (const Place& place : known.explains) other.explains.erase(place);
    }
    for (Hypothesis* hypothesis : {&last, &block, &other}) hypotheses.push_back(std::move(*hypothesis));
  }

  // The mask tensor is not looked at.
  void suspect_masks(const Places& bad, std::vector<Hypothesis>& hypotheses) const {
    if (!call_.draft) return;
    for (const bool causal : {true, false}) {
      std::vector<std::uint32_t> words(std::size_t{view_.total_rows} * view_.mask_words);
      for (std::uint32_t b = 0; b < call_.requests; ++b) {
        const std::uint32_t rows = call_.query_rows(b);
        for (std::uint32_t i = 0; i < rows; ++i) {
          for (std::uint32_t j = 0; j < (causal ? i + 1 : rows); ++j) {
            words[(std::size_t{call_.first_row(b)} + i) * view_.mask_words + j / 32] |= 1u << (j % 32);
          }
        }
      }
      xqacheck_problem other = view_;
      other.mask.data = words.data();
      other.mask_kind = XQACHECK_MASK_TREE;
      hypotheses.push_back({causal ? "the mask is ignored: drafts see each other causally"
                                   : "the mask is ignored: every draft sees all others", explained_by(other, bad)});
    }
  }

  void suspect_windows(const Places& bad, std::vector<Hypothesis>& hypotheses) const {
    if (view_.window == 0) return;
    const std::pair<std::uint32_t, const char*> windows[] = {{view_.window - 1, "the window is one token too short"},
                                                             {view_.window + 1, "the window is one token too long"},
                                                             {0, "the window is ignored"}};
    for (const auto& [window, what] : windows) {
      xqacheck_problem other = view_;
      other.window = window;
      hypotheses.push_back({what, explained_by(other, bad)});
    }
  }

  // Rows that the finite masking constants cannot represent.
  void suspect_range(const reference::Golden& truth, const Places& bad, std::vector<Hypothesis>& hypotheses) const {
    Hypothesis empty{"rows without a visible token are not answered by zeros", {}};
    Hypothesis low{"all scores of the rows lie below the masking constant -1e5: masked tokens weigh in", {}};
    const reference::Golden scores = golden(without_sinks());
    for (const Place& place : bad) {
      const std::size_t at = std::size_t{place.first} * view_.q_heads + place.second;
      if (truth.empty[at] != 0) empty.explains.insert(place);
      else if (scores.lse[at] < kSentinel) low.explains.insert(place);
    }
    hypotheses.push_back(std::move(empty));
    hypotheses.push_back(std::move(low));
  }

  // A sink far above all scores: the reciprocal of the denominator is flushed, and the output is zero.
  void note_overflows(RecordedJudgement& result) const {
    if (!call_.has_sinks()) return;
    const reference::Golden scores = golden(without_sinks());
    std::uint32_t rows = 0;
    for (std::uint32_t row = 0; row < view_.total_rows; ++row) {
      for (std::uint32_t h = 0; h < view_.q_heads; ++h) {
        const double lse = scores.lse[std::size_t{row} * view_.q_heads + h];
        if (std::isfinite(lse) && call_.sink(h) - lse > kOverflow) ++rows;
      }
    }
    if (rows > 0) result.notes.push_back(fmt::format("{} rows: the sink's exponential is beyond 2^126, the output is flushed to 0", rows));
  }

  xqacheck_problem without_sinks() const {
    xqacheck_problem other = view_;
    other.sinks = {};
    return other;
  }

  std::uint32_t draft_of(std::uint32_t q_row) const {
    if (!call_.draft) return 0;
    std::uint32_t b = 0;
    while (b + 1 < call_.requests && call_.first_row(b + 1) <= q_row) ++b;
    return q_row - call_.first_row(b);
  }

  const Recording& recording_;
  xqacheck_problem view_;
  Call call_;
  xqacheck_numerics numerics_{};
  bool has_numerics_ = false;
};

}  // namespace

RecordedJudgement judge_recording(const Recording& recording) { return Judge(recording).run(); }

}  // namespace xqacheck::emulation
