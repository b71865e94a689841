// certificate: coded runs prove that every visible token, page, mask bit and sink counted exactly once and nothing
// invisible counted, or name what did not. The derivation is doc/certificate.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "properties/checks/certificate/coded_problem.hpp"
#include "properties/checks/certificate/expected.hpp"
#include "properties/checks/certificate/name_fault.hpp"
#include "properties/decode.hpp"
#include "properties/edit_problem.hpp"
#include "properties/output.hpp"
#include "properties/property.hpp"

namespace xqacheck::properties {
namespace {

using namespace certificate;
using reference::Sequence;
using reference::Sight;

// A wrong row escapes K channels with probability 2^-K or less; 2^-30 for every slot of the pool that may be the
// culprit.
constexpr double kCertainBits = 30;
// Whole blocks show only in their share of the channels: so many of them on average, or e^-20 of the wrong blocks
// escape.
constexpr double kBlockChannels = 20;
constexpr std::uint32_t kMostRuns = 10;
// Channels in which the output tells one token from none, that a row needs to be called certified.
constexpr std::uint32_t kNeededChannels = 24;

struct Plan {
  double share;
  std::uint32_t runs;
};

class Certificate {
 public:
  explicit Certificate(Trial& trial)
      : trial_(trial),
        view_(trial.view()),
        slots_(view_),
        sight_(view_),
        splits_(std::max(trial.plain_run().route.splits, 1u)),
        roundings_(roundings_of(view_, trial.kernel().numerics)) {
    for (const Sequence& s : sight_.sequences()) slot_rows_.push_back(slots_of(view_, slots_, s));
  }

  Verdict check() {
    const Code sample(slots_, trial_.subject().seed, 1);
    std::uint32_t rows = 0;
    for (std::size_t i = 0; i < slot_rows_.size(); ++i) {
      const Sequence& s = sight_.sequences()[i];
      const RowSums sums(view_, sight_, s, slot_rows_[i], sample, splits_);
      for (std::uint32_t row = 0; row < s.rows; ++row) {
        if (sums.visible(row) == 0 && empty_policy(s) == XQACHECK_EMPTY_UNSUPPORTED)
          return unsupported("a row sees no token, which the kernel declares to be outside of its domain");
        most_ = std::max(most_, sums.visible(row));
        rows += sums.visible(row) > 0;
      }
    }
    if (rows == 0) return unsupported("no row sees a token: there is nothing to count");
    if (const char* why = inexact_because(view_, trial_.kernel().numerics, most_); *why != '\0')
      return unsupported(why);
    const Plan plan = choose_plan();
    const Code code(slots_, trial_.subject().seed, plan.share);
    std::vector<Outcome> outcomes;
    double sign = 0;
    for (std::uint32_t run = 0; run < plan.runs; ++run) {
      CodedRun coded = coded_run(trial_.problem(), code, run, most_);
      sign = coded.sign;
      if (run == 0) read_sinks(coded.problem);
      Outcome outcome = trial_.run(coded.problem, trial_.run_options());
      const std::string during = fmt::format("in coded run {} of {}", run + 1, plan.runs);
      if (!is_judgeable(outcome)) return verdict_of_broken_run(outcome, during);
      if (auto verdict = verdict_of_side_effects(outcome, during)) return *verdict;
      outcomes.push_back(std::move(outcome));
    }
    return judge(code, plan, outcomes, sign);
  }

 private:
  std::uint32_t empty_policy(const Sequence& s) {
    const xqacheck_domain& domain = trial_.kernel().domain;
    return s.length == 0 ? domain.zero_length : domain.fully_masked;
  }

  // As many blocks with a sum of their own as the roundings of partials and output let through, in the longest request.
  Plan choose_plan() {
    std::size_t longest = 0;
    for (std::size_t i = 0; i < slot_rows_.size(); ++i)
      if (slot_rows_[i].block.size() > slot_rows_[longest].block.size()) longest = i;
    const Sequence& s = sight_.sequences()[longest];
    const double unit = 1;  // outputs are laid out so that one sign is a normal number
    const std::uint32_t channels = view_.head_dim_v - 1;
    Plan plan{1, 1};
    for (; plan.share > 0x1p-12 && s.rows > 0; plan.share /= 2) {
      const Code code(slots_, trial_.subject().seed, plan.share);
      const RowSums sums(view_, sight_, s, slot_rows_[longest], code, splits_);
      const std::vector<Sum> row = sums.of_row(0, 0, 0);
      const auto fine = std::count_if(row.begin() + 1, row.end(),
                                      [&](const Sum& sum) { return allowance(roundings_, sum, unit) < 0.5; });
      if (fine * 4 >= static_cast<std::ptrdiff_t>(channels) * 3) break;
    }
    const double slots = static_cast<double>(slots_.blocks()) * slots_.block_tokens() * view_.kv_heads;
    const double wanted =
        std::max({kCertainBits + std::log2(slots), kBlockChannels / plan.share, double{kNeededChannels} * 1.5});
    plan.runs = static_cast<std::uint32_t>(std::clamp(std::ceil(wanted / channels), 1.0, double{kMostRuns}));
    return plan;
  }

  void read_sinks(const reference::Problem& problem) {
    const reference::HostBuffer& sinks = problem.tensor(reference::TensorId::sinks);
    for (std::size_t h = 0; h < sinks.size() / sizeof(float); ++h) sinks_.push_back(sink_weight(sinks.as<float>()[h]));
  }

  Verdict judge(const Code& code, const Plan& plan, const std::vector<Outcome>& outcomes, double sign) {
    const std::uint32_t group = view_.q_heads / view_.kv_heads, channels = view_.head_dim_v;
    Verdict verdict = passed();
    std::uint64_t bad_rows = 0, coarse_rows = 0, rows = 0;
    for (std::size_t i = 0; i < slot_rows_.size(); ++i) {
      const Sequence& s = sight_.sequences()[i];
      const RowSums sums(view_, sight_, s, slot_rows_[i], code, splits_);
      for (std::uint32_t g = 0; g < view_.kv_heads; ++g) {
        for (std::uint32_t row = 0; row < s.rows; ++row) {
          if (sums.visible(row) == 0) continue;
          Measured m{row, g * group, g, plan.runs, sign, static_cast<double>(sums.visible(row)), 0, {}, {}};
          for (std::uint32_t run = 0; run < plan.runs; ++run)
            for (const Sum& sum : sums.of_row(row, g, run)) m.expected.push_back(sum);
          for (; m.head < (g + 1) * group; ++m.head) {
            ++rows;
            m.sink = sinks_.empty() ? 0 : sinks_[m.head];
            const std::uint64_t bad = measure(outcomes, s, m);
            verdict.elements += m.sums.size();
            verdict.bad_elements += bad;
            if (bad == 0) {
              coarse_rows += fine_channels(m) < kNeededChannels;
              continue;
            }
            if (bad_rows++ == 0) describe(verdict, code, i, sums, m, channels);
          }
        }
      }
    }
    if (bad_rows > 0) {
      verdict.notes.push_back(fmt::format("{} of {} rows count wrongly", bad_rows, rows));
      return verdict;
    }
    if (auto wrong = judge_lse(outcomes, code)) return *wrong;
    if (coarse_rows > 0)
      return mistrusted(
          fmt::format("in {} of {} rows the output is too coarse to tell one token from none", coarse_rows, rows));
    verdict.notes.push_back(
        fmt::format("every visible token{} counted exactly once, nothing invisible counted: {} rows of up to {} "
                    "tokens, {} channels in {} coded "
                    "runs, whole blocks weigh in a share of {:g}",
                    sinks_.empty() ? "" : ", and every sink,", rows, most_, channels, plan.runs, plan.share));
    return verdict;
  }

  // LSE of equal scores is the log of the denominator: one token among 100,000 moves it by 1e-5.
  std::optional<Verdict> judge_lse(const std::vector<Outcome>& outcomes, const Code& code) {
    const double to_natural = std::log(static_cast<double>(view_.lse_base));
    for (const Outcome& outcome : outcomes) {
      if (outcome.lse.empty()) return std::nullopt;
      for (std::size_t i = 0; i < slot_rows_.size(); ++i) {
        const Sequence& s = sight_.sequences()[i];
        const RowSums sums(view_, sight_, s, slot_rows_[i], code, splits_);
        for (std::uint32_t row = 0; row < s.rows; ++row)
          for (std::uint32_t h = 0; h < view_.q_heads; ++h) {
            if (sums.visible(row) == 0) continue;
            const double weight = sums.visible(row) + (sinks_.empty() ? 0 : sinks_[h]);
            const std::size_t index = (s.first_row + row) * view_.q_heads + h;
            const double lse = decode(XQACHECK_FP32, outcome.lse.data() + index * sizeof(float)) * to_natural;
            // The logarithm, its base and the sum: a few roundings of 2^-24 of at most 32.
            const double allowed = roundings_.rest + 0x1p-24 * 8 * std::abs(lse);
            if (std::abs(lse - std::log(weight)) <= allowed) continue;
            Verdict verdict =
                failed("lse", fmt::format("request {} row {} head {}: LSE says that {:.1f} tokens (sink included) were "
                                          "counted, not {:.1f}",
                                          s.request, row, h, std::exp(lse), weight));
            BadElement element;
            element.request = s.request, element.row = s.beam * s.rows + row, element.head = h;
            element.got = lse, element.want = std::log(weight), element.bound = allowed;
            verdict.evidence = {element};
            return verdict;
          }
      }
    }
    return std::nullopt;
  }

  // Fills in what the row gave; returns in how many channels that is wrong.
  std::uint64_t measure(const std::vector<Outcome>& outcomes, const Sequence& s, Measured& m) {
    m.sums.clear();
    std::uint64_t bad = 0;
    const double unit = m.sign / (m.tokens + m.sink);
    for (const Outcome& outcome : outcomes)
      for (std::uint32_t d = 0; d < view_.head_dim_v; ++d) {
        const auto row = static_cast<std::uint32_t>(s.first_row + m.row);
        const double got = decode(view_.out.dtype, outcome.out.data() + out_offset(view_, row, m.head, d));
        m.sums.push_back(got / unit);
        const Sum& sum = m.expected[m.sums.size() - 1];
        bad += !(std::abs(got / unit - sum.value) <= allowance(roundings_, sum, unit));
      }
    return bad;
  }

  std::uint32_t fine_channels(const Measured& m) const {
    const double unit = m.sign / (m.tokens + m.sink);
    std::uint32_t fine = 0;
    for (std::size_t i = 0; i < m.expected.size(); ++i)
      fine += i % view_.head_dim_v != 0 && allowance(roundings_, m.expected[i], unit) < 0.5;
    return fine;
  }

  void describe(Verdict& verdict, const Code& code, std::size_t sequence, const RowSums& sums, const Measured& m,
                std::uint32_t channels) {
    const Sequence& s = sight_.sequences()[sequence];
    const double unit = m.sign / (m.tokens + m.sink);
    std::size_t first = 0;
    while (std::abs(m.sums[first] - m.expected[first].value) <= allowance(roundings_, m.expected[first], unit)) ++first;
    const Named named = name_fault(view_, sight_, s, slot_rows_[sequence], sums, code, roundings_, sinks_, splits_, m);
    const std::string where = fmt::format("request {}{} row {} head {}", s.request,
                                          view_.beam_width > 1 ? fmt::format(" beam {}", s.beam) : "", m.row, m.head);
    const std::uint64_t elements = verdict.elements, bad = verdict.bad_elements;
    verdict = failed(
        named.what.empty() ? "count" : "named",
        named.what.empty()
            ? fmt::format(
                  "{}: the sum of signs in channel {} is {:.3f}, not {}; no single token, page, tile, row, head or "
                  "sink explains it",
                  where, first % channels, m.sums[first], m.expected[first].value)
            : fmt::format("{}: {}", where, named.what));
    verdict.elements = elements, verdict.bad_elements = bad;
    BadElement element = named.place;
    element.request = s.request, element.row = s.beam * s.rows + m.row, element.head = m.head;
    element.dim = static_cast<std::uint32_t>(first % channels);
    element.got = m.sums[first] * unit, element.want = m.expected[first].value * unit;
    element.bound = allowance(roundings_, m.expected[first], unit) * unit;
    element.ulps = ulps_between(view_.out.dtype, element.got, element.want);
    verdict.evidence = {element};
  }

  Trial& trial_;
  xqacheck_problem view_;
  Slots slots_;
  Sight sight_;
  std::uint32_t splits_;
  Roundings roundings_;
  std::vector<SlotRow> slot_rows_;
  std::vector<double> sinks_;  // exp(sink) of every query head in the coded runs
  std::uint32_t most_ = 0;     // tokens that a row sees
};

Verdict check(Trial& trial) {
  if (!is_judgeable(trial.plain_run())) return verdict_of_broken_run(trial.plain_run(), "");
  if (!is_editable(trial.problem())) return unsupported("the pool is too large to be coded");
  return Certificate(trial).check();
}

}  // namespace

extern const Property certificate_property;
const Property certificate_property = {
    "certificate",
    "coded inputs: every visible token, page, mask bit and sink counts exactly once, nothing invisible counts", check};

}  // namespace xqacheck::properties
