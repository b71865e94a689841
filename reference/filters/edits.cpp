#include "reference/filters/edits.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "reference/filters/physical.hpp"
#include "reference/filters/tally.hpp"

namespace xqacheck::reference::filters {
namespace {

using Edits = std::vector<Edit>;

void drop_if_seen(const Context& c, const Sequence& s, std::uint32_t draft, std::int64_t token, Edits& edits) {
  if (c.sight.sees(s, draft, token)) edits.push_back({-1, token, token});
}

void show_if_hidden(const Context& c, const Sequence& s, std::uint32_t draft, std::int64_t token, Edits& edits) {
  if (token >= 0 && !c.sight.sees(s, draft, token)) edits.push_back({1, token, token});
}

// The mask that the kernel would have used instead of the problem's.
void change_mask(const Context& c, const Sequence& s, std::uint32_t draft, bool full, Edits& edits) {
  for (std::int64_t token = std::max(s.drafts_begin(), c.sight.window_start(s, draft)); token < s.length; ++token) {
    const bool wanted = full || token - s.drafts_begin() <= draft;
    if (wanted) show_if_hidden(c, s, draft, token, edits);
    if (!wanted) drop_if_seen(c, s, draft, token, edits);
  }
}

void replace_page(const Context& c, const Suspect& suspect, const Sequence& s, std::uint32_t draft, Edits& edits) {
  const bool key = suspect.fault != Fault::page_value_replaced, value = suspect.fault != Fault::page_key_replaced;
  for (std::int64_t token = suspect.token; token < suspect.token + suspect.tokens; ++token) {
    if (!c.sight.sees(s, draft, token)) continue;
    edits.push_back({-1, token, token});
    edits.push_back({1, token, token, key ? suspect.other : -1, value ? suspect.other : -1});
  }
}

// Keys and values that edits name, read once for a group.
class Places {
 public:
  Places(const Context& c, const Group& g) : c_(c), g_(g) {}

  // One row of K (without scale) and V (with it); zero when it cannot be read.
  const Block& at(std::int64_t token, std::int64_t page) {
    const auto key = std::pair{token, page};
    if (const auto found = blocks_.find(key); found != blocks_.end()) return found->second;
    return blocks_.emplace(key, page < 0 ? read_block(c_, g_, token, 1) : read_physical(c_, g_, page, token))
        .first->second;
  }

 private:
  const Context& c_;
  const Group& g_;
  std::map<std::pair<std::int64_t, std::int64_t>, Block> blocks_;
};

Matrix change_by_edits(const Context& c, const Suspect& suspect, const Group& g) {
  Matrix change = Matrix::Zero(g.lines(), g.o.cols());
  Places places(c, g);
  for (Eigen::Index l = 0; l < g.lines(); ++l) {
    if (!std::isfinite(g.lse[l])) continue;
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(g.o.cols());
    double weight = 0;
    for (const Edit& edit : edits_of(c, suspect, *g.sequence, g.draft(l))) {
      const Block& key = places.at(edit.key, edit.key_page);
      const Block& value = places.at(edit.value, edit.value_page);
      if (key.dead[0] != 0 || value.dead[0] != 0) continue;
      const double score = g.q.row(l).dot(key.keys.row(0)) * c.score_scale;
      const double p =
          edit.sign * std::min(std::exp(score - g.lse[l]), 1e12);  // beyond this the token holds all the weight
      sum += p * value.values.row(0);
      weight += p;
    }
    const double left = 1 + weight;
    if (left > 1 - kAllTheWeight) {
      change.row(l) = (sum - weight * g.o.row(l)) / left;
    } else {
      change.row(l) = -g.o.row(l);  // nothing but a sink is left: the output is 0
    }
  }
  return change;
}

void change_by_swap(const Context& c, const Suspect& suspect, const Group& g, Matrix& change) {
  for (Eigen::Index l = 0; l < g.lines(); ++l) {
    const auto head = static_cast<std::int64_t>(g.head(l));
    if (head != suspect.head && head != suspect.other) continue;
    const std::int64_t partner = head == suspect.head ? suspect.other : suspect.head;
    const std::uint64_t place = g.place[static_cast<std::size_t>(l)] + static_cast<std::uint64_t>(partner - head);
    for (Eigen::Index d = 0; d < change.cols(); ++d) {
      change(l, d) = c.golden.out[place * c.problem.head_dim_v + static_cast<std::uint64_t>(d)] - g.o(l, d);
    }
  }
}

}  // namespace

bool touches(const Suspect& suspect, std::uint32_t head, std::uint32_t q_heads) {
  switch (suspect.heads) {
    case Heads::all:
      return true;
    case Heads::even:
      return head % 2 == 0;
    case Heads::odd:
      return head % 2 == 1;
    case Heads::lower:
      return head < q_heads / 2;
    case Heads::upper:
      return head >= q_heads / 2;
    case Heads::one:
      return static_cast<std::int32_t>(head) == suspect.head;
  }
  return false;
}

Edits edits_of(const Context& c, const Suspect& suspect, const Sequence& s, std::uint32_t draft) {
  Edits edits;
  if (suspect.request >= 0 && static_cast<std::uint32_t>(suspect.request) != s.request) return edits;
  switch (suspect.fault) {
    case Fault::token_missing:
      drop_if_seen(c, s, draft, suspect.token, edits);
      break;
    case Fault::token_doubled:
      if (c.sight.sees(s, draft, suspect.token)) edits.push_back({1, suspect.token, suspect.token});
      break;
    case Fault::token_foreign:
      show_if_hidden(c, s, draft, suspect.token, edits);
      break;
    case Fault::length_short:
      drop_if_seen(c, s, draft, s.length - 1, edits);
      break;
    case Fault::length_long:
      show_if_hidden(c, s, draft, s.length, edits);
      break;
    case Fault::window_narrow:
      drop_if_seen(c, s, draft, c.sight.window_start(s, draft), edits);
      break;
    case Fault::window_wide:
      show_if_hidden(c, s, draft, c.sight.window_start(s, draft) - 1, edits);
      break;
    case Fault::mask_full:
      change_mask(c, s, draft, true, edits);
      break;
    case Fault::mask_causal:
      change_mask(c, s, draft, false, edits);
      break;
    case Fault::page_missing:
      for (std::int64_t i = 0; i < suspect.tokens; ++i) drop_if_seen(c, s, draft, suspect.token + i, edits);
      break;
    case Fault::page_replaced:
    case Fault::page_value_replaced:
    case Fault::page_key_replaced:
      replace_page(c, suspect, s, draft, edits);
      break;
    default:
      break;
  }
  return edits;
}

Matrix change_of(const Context& c, const Suspect& suspect, const Group& g, const std::vector<double>& sensitivity) {
  Matrix change = Matrix::Zero(g.lines(), g.o.cols());
  switch (suspect.fault) {
    case Fault::softmax_scale:
      for (Eigen::Index l = 0; l < g.lines(); ++l) {
        const std::uint64_t first = g.place[static_cast<std::size_t>(l)] * c.problem.head_dim_v;
        std::copy_n(sensitivity.data() + first, change.cols(), change.row(l).data());
      }
      return change;
    case Fault::output_scale:
      return g.o;
    case Fault::output_zero:
      return -g.o;
    case Fault::sink_ignored:
      for (Eigen::Index l = 0; l < g.lines(); ++l) {
        const double sink = std::exp(c.sinks[g.head(l)] - g.lse[l]);
        if (touches(suspect, g.head(l), c.problem.q_heads) && sink < kAllTheWeight)
          change.row(l) = sink / (1 - sink) * g.o.row(l);
      }
      return change;
    case Fault::heads_swapped:
      change_by_swap(c, suspect, g, change);
      return change;
    case Fault::page_value:  // without knowing what came instead: the page's share is gone
      for (Eigen::Index l = 0; l < g.lines(); ++l) {
        if (suspect.request != static_cast<std::int32_t>(g.sequence->request)) continue;
        for (std::int64_t i = 0; i < suspect.tokens; ++i) {
          const Block token = read_block(c, g, suspect.token + i, 1);
          if (!c.sight.sees(*g.sequence, g.draft(l), suspect.token + i) || token.dead[0] != 0) continue;
          change.row(l) -= std::exp(g.q.row(l).dot(token.keys.row(0)) * c.score_scale - g.lse[l]) * token.values.row(0);
        }
      }
      return change;
    default:
      return change_by_edits(c, suspect, g);
  }
}

std::vector<double> change_of_run(const Context& c, const Suspect& suspect, const std::vector<double>& sensitivity) {
  std::vector<double> change(c.golden.out.size(), 0);
  for (std::size_t task = 0; task < c.tasks(); ++task) {
    const Group g = make_group(c, task);
    const Matrix lines = change_of(c, suspect, g, sensitivity);
    for (Eigen::Index l = 0; l < g.lines(); ++l) {
      std::copy_n(lines.row(l).data(), lines.cols(),
                  change.data() + g.place[static_cast<std::size_t>(l)] * c.problem.head_dim_v);
    }
  }
  return change;
}

}  // namespace xqacheck::reference::filters
