#include "reference/filters/screen_task.hpp"

#include <algorithm>
#include <cmath>

namespace xqacheck::reference::filters {
namespace {

// About 128 tokens: K, V and the weights of a block stay in the second-level cache.
constexpr std::int64_t kBlockTokens = 128;

class TaskScreen {
 public:
  TaskScreen(const Context& context, const Group& group)
      : c_(context),
        g_(group),
        s_(*group.sequence),
        weighted_error_(group.e.cwiseProduct(group.w)),
        weighted_out_(group.o.cwiseProduct(group.w)) {
    error_out_ = weighted_error_.cwiseProduct(g_.o).rowwise().sum();
    out_out_ = weighted_out_.cwiseProduct(g_.o).rowwise().sum();
    const Eigen::Index lines = g_.lines(), dim_v = g_.o.cols();
    scored_sum_.setZero(lines, dim_v);
    scored_weight_.setZero(lines);
    hidden_full_ = hidden_causal_ = Hidden{Matrix::Zero(lines, dim_v), Vector::Zero(lines)};
    t_.tokens.first = first_token(c_, s_);
    const std::int64_t tokens = s_.length + 1 - t_.tokens.first;
    t_.tokens.missing.resize(static_cast<std::size_t>(tokens));
    t_.tokens.foreign.resize(static_cast<std::size_t>(tokens));
    const std::int64_t pages = (s_.length - t_.tokens.first + c_.page_tokens - 1) / c_.page_tokens;
    t_.tokens.page_missing.resize(static_cast<std::size_t>(std::max<std::int64_t>(pages, 0)));
    t_.tokens.page_value.resize(t_.tokens.page_missing.size());
  }

  TaskTallies run() {
    const std::int64_t step = std::max<std::int64_t>(1, kBlockTokens / c_.page_tokens) * c_.page_tokens;
    for (std::int64_t first = t_.tokens.first; first <= s_.length; first += step) {
      add_block(read_block(c_, g_, first, std::min(step, s_.length + 1 - first)));
    }
    finish();
    return std::move(t_);
  }

 private:
  // Tokens that a different mask would show (or hide, with negative weight) to a line: sum of p v and of p.
  struct Hidden {
    Matrix sum;
    Vector weight;
  };

  void add_block(const Block& block) {
    const Weights weights = weigh(c_, g_, block);
    Matrix visible = weights.p;  // weight of what a line sees, 0 for the rest
    const Matrix error_value = weighted_error_ * block.values.transpose();  // sum w e v
    const Matrix out_value = weighted_out_ * block.values.transpose();      // sum w o v
    const Matrix square = g_.w * block.values.cwiseAbs2().transpose();      // sum w v^2
    for (Eigen::Index l = 0; l < g_.lines(); ++l) {
      const std::uint32_t draft = g_.draft(l);
      for (Eigen::Index t = 0; t < block.count(); ++t) {
        const std::int64_t token = block.first + t;
        const double along = error_value(l, t) - error_out_[l];                // sum w e (v - o)
        const double size = square(l, t) - 2 * out_value(l, t) + out_out_[l];  // sum w (v - o)^2
        const bool seen = c_.sight.sees(s_, draft, token);
        if (!seen) visible(l, t) = 0;
        add_token(l, token, seen, weights.p(l, t), along, std::max(size, 0.0));
      }
    }
    const Matrix scored = visible.cwiseProduct(weights.scores);
    scored_sum_.noalias() += scored * block.values;
    scored_weight_ += scored.rowwise().sum();
    add_pages(block, visible, error_value);
    if (block.first + block.count() > s_.drafts_begin()) add_drafts(block, weights.p);
  }

  void add_token(Eigen::Index line, std::int64_t token, bool seen, double p, double along, double size) {
    // Without the token that has all the weight the output is 0.
    const bool all = seen && p >= kAllTheWeight;
    const double f = seen ? factor_without(p) : factor_with(p);
    const double a = all ? -error_out_[line] : f * along, n = all ? out_out_[line] : f * f * size;
    const auto at = static_cast<std::size_t>(token - t_.tokens.first);
    const std::int64_t start = c_.sight.window_start(s_, g_.draft(line));
    if (seen) {
      t_.tokens.missing[at].add(a, n);
      if (token == s_.length - 1) t_.length_short.add(a, n);
      if (c_.problem.window != 0 && token == start) t_.window_narrow.add(a, n);
    } else {
      t_.tokens.foreign[at].add(a, n);
      if (token == s_.length) t_.length_long.add(a, n);
      if (c_.problem.window != 0 && token == start - 1) t_.window_wide.add(a, n);
    }
  }

  void add_pages(const Block& block, const Matrix& visible, const Matrix& error_value) {
    for (std::int64_t from = 0; from < block.count() && block.first + from < s_.length; from += c_.page_tokens) {
      const std::int64_t count = std::min<std::int64_t>(c_.page_tokens, block.count() - from);
      const Matrix p = visible.middleCols(from, count);
      const Matrix sum = p * block.values.middleRows(from, count);  // sum p v of the page
      const Vector weight = p.rowwise().sum();
      const Vector along = p.cwiseProduct(error_value.middleCols(from, count)).rowwise().sum();  // sum w e p v
      const auto page = static_cast<std::size_t>((block.first + from - t_.tokens.first) / c_.page_tokens);
      for (Eigen::Index l = 0; l < g_.lines(); ++l) {
        if (weight[l] == 0) continue;
        const double rest = 1 - weight[l];
        const double moved = g_.w.row(l).dot((sum.row(l) - weight[l] * g_.o.row(l)).cwiseAbs2());
        if (weight[l] < kAllTheWeight) {
          t_.tokens.page_missing[page].add(-(along[l] - weight[l] * error_out_[l]) / rest, moved / (rest * rest));
        } else {
          t_.tokens.page_missing[page].add(-error_out_[l], out_out_[l]);
        }
        t_.tokens.page_value[page].add(-along[l], g_.w.row(l).dot(sum.row(l).cwiseAbs2()));
      }
    }
  }

  void add_drafts(const Block& block, const Matrix& p) {
    if (c_.problem.mask_kind == XQACHECK_MASK_NONE) return;
    Matrix full = Matrix::Zero(p.rows(), p.cols()), causal = full;
    for (Eigen::Index l = 0; l < g_.lines(); ++l) {
      for (Eigen::Index t = std::max<std::int64_t>(0, s_.drafts_begin() - block.first); t < block.count(); ++t) {
        const std::int64_t token = block.first + t, draft = token - s_.drafts_begin();
        if (token >= s_.length || token < c_.sight.window_start(s_, g_.draft(l))) continue;
        const bool seen = c_.sight.sees(s_, g_.draft(l), token), wanted = draft <= g_.draft(l);
        if (!seen) full(l, t) = p(l, t);
        if (seen != wanted) causal(l, t) = seen ? -p(l, t) : p(l, t);
      }
    }
    hidden_full_.sum += full * block.values;
    hidden_full_.weight += full.rowwise().sum();
    hidden_causal_.sum += causal * block.values;
    hidden_causal_.weight += causal.rowwise().sum();
  }

  void add_direction(Tally& tally, Eigen::Index line, const Eigen::RowVectorXd& direction) const {
    tally.add(weighted_error_.row(line).dot(direction), g_.w.row(line).dot(direction.cwiseAbs2()));
  }

  void add_hidden(Tally& tally, const Hidden& hidden, Eigen::Index line) const {
    const double left = 1 + hidden.weight[line];
    if (hidden.weight[line] == 0 || !(left > 1 - kAllTheWeight) || !std::isfinite(left)) return;
    add_direction(tally, line, (hidden.sum.row(line) - hidden.weight[line] * g_.o.row(line)) / left);
  }

  void finish() {
    t_.sinks.resize(g_.group);
    t_.softmax_sensitivity = scored_sum_ - scored_weight_.asDiagonal() * g_.o;
    for (Eigen::Index l = 0; l < g_.lines(); ++l) {
      if (!std::isfinite(g_.lse[l])) t_.softmax_sensitivity.row(l).setZero();
      add_direction(t_.softmax_scale, l, t_.softmax_sensitivity.row(l));
      add_direction(t_.output_scale, l, g_.o.row(l));
      const double sink = std::exp(c_.sinks[g_.head(l)] - g_.lse[l]);  // weight of the sink, 0 without one
      if (sink > 0 && sink < kAllTheWeight)
        add_direction(t_.sinks[g_.head(l) % g_.group], l, sink / (1 - sink) * g_.o.row(l));
      add_hidden(t_.mask_full, hidden_full_, l);
      add_hidden(t_.mask_causal, hidden_causal_, l);
    }
  }

  const Context& c_;
  const Group& g_;
  const Sequence& s_;
  Matrix weighted_error_, weighted_out_;
  Vector error_out_, out_out_;  // sum w e o, sum w o^2 of a line
  Matrix scored_sum_;           // sum p s v
  Vector scored_weight_;        // sum p s
  Hidden hidden_full_, hidden_causal_;
  TaskTallies t_;
};

}  // namespace

TaskTallies screen_task(const Context& context, const Group& group) {
  return TaskScreen(context, group).run();
}

}  // namespace xqacheck::reference::filters
