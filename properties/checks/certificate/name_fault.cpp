#include "properties/checks/certificate/name_fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

namespace xqacheck::properties::certificate {
namespace {

// Pairs of (page of the row, page of the pool) that are tried: some seconds of one core.
constexpr std::uint64_t kMostPagePairs = 100'000'000;

class Namer {
 public:
  Namer(const xqacheck_problem& p, const reference::Sight& sight, const reference::Sequence& s, const SlotRow& slots,
        const RowSums& row_sums, const Code& code, const Roundings& roundings, const Measured& m)
      : p_(p), s_(s), slots_(slots), row_sums_(row_sums), code_(code), roundings_(roundings), m_(m) {
    for (std::int64_t t = 0; t < s.length; ++t) seen_.push_back(sight.sees(s, m.row, t));
  }

  // Once a split comes first: it is what kernels do. Then other heads, then other multiples.
  Named sinks(const std::vector<double>& weights, std::uint32_t splits) const {
    if (weights.empty()) return {};
    if (sink_is(0)) return {fmt::format("the sink of head {} is missing", m_.head), {}};
    if (splits > 1 && sink_is(splits * m_.sink))
      return {fmt::format("the sink of head {} is counted {} times, once a split", m_.head, splits), {}};
    for (std::uint32_t h = 0; h < weights.size(); ++h)
      if (weights[h] != m_.sink && sink_is(weights[h]))
        return {fmt::format("head {} counts the sink of head {}", m_.head, h), {}};
    for (std::uint32_t times = 2; times <= 4; ++times)
      if (sink_is(times * m_.sink)) return {fmt::format("the sink of head {} is counted {} times", m_.head, times), {}};
    return {};
  }

  // One token too few, or one too many of those that the pool holds.
  Named tokens() const {
    for (std::uint32_t t = 0; t < s_.length; ++t) {
      const auto sign = [&](std::uint32_t run, std::uint32_t d) {
        return code_.signs(slots_.block[t], m_.kv_head, run, d).at(slots_.place[t]);
      };
      for (const int times : {-1, 1}) {
        if (!seen_[t] && times < 0) continue;
        if (explains([&](std::uint32_t run, std::uint32_t d) { return times * sign(run, d); }, times))
          return token_named(t, !seen_[t] ? "counted though invisible" : times < 0 ? "missing" : "counted twice");
      }
    }
    return foreign_token();
  }

  // A page or tile of the row left out, counted twice, or taken from elsewhere.
  Named ranges() const {
    const std::uint32_t page = code_.slots().page_tokens();
    const std::pair<const char*, std::uint32_t> kinds[] = {
        {"page", page}, {"64-token tile", 64}, {"256-token tile", 256}};
    for (const auto& each : kinds) {
      const char* kind = each.first;
      const std::uint32_t length = each.second;
      for (std::int64_t begin = 0; begin < s_.length; begin += length)
        for (const int times : {-1, 1}) {
          const int seen = seen_in(begin, length);
          if (seen == 0 || seen > 4096) continue;  // longer ones are requests, not pages
          if (!explains([&](std::uint32_t run, std::uint32_t d) { return times * range_sum(begin, length, run, d); },
                        times * seen))
            continue;
          Named named{fmt::format("{} {} (tokens {} to {}) of request {} is {}", kind, begin / length, begin,
                                  std::min<std::int64_t>(s_.length, begin + length) - 1, s_.request,
                                  times < 0 ? "missing" : "counted twice"),
                      {}};
          named.place.token = begin;
          return named;
        }
    }
    return swapped_page();
  }

  // The sum that belongs to another KV head, or to another row of the request.
  Named others() const {
    std::vector<std::vector<Sum>> other(m_.runs);
    const auto explained = [&](std::uint32_t row, std::uint32_t head) {
      for (std::uint32_t run = 0; run < m_.runs; ++run) other[run] = row_sums_.of_row(row, head, run);
      return explains([&](std::uint32_t run, std::uint32_t d) { return other[run][d].value - expected(run, d).value; },
                      static_cast<int>(row_sums_.visible(row)) - static_cast<int>(m_.tokens));
    };
    for (std::uint32_t g = 0; g < p_.kv_heads; ++g)
      if (g != m_.kv_head && explained(m_.row, g))
        return {fmt::format("head {} reads KV head {} instead of {}", m_.head, g, m_.kv_head), {}};
    for (std::uint32_t row = 0; row < s_.rows; ++row)
      if (row != m_.row && explained(row, m_.kv_head))
        return {fmt::format("row {} sees the tokens of row {}", m_.row, row), {}};
    return {};
  }

 private:
  using Change = std::function<int(std::uint32_t run, std::uint32_t channel)>;

  const Sum& expected(std::uint32_t run, std::uint32_t d) const {
    return m_.expected[std::size_t{run} * p_.head_dim_v + d];
  }

  bool explains(const Change& change, int more_tokens) const { return fits(change, m_.tokens + more_tokens + m_.sink); }
  bool sink_is(double weight) const {
    return fits([](std::uint32_t, std::uint32_t) { return 0; }, m_.tokens + weight);
  }

  bool fits(const Change& change, double denominator) const {
    if (!(denominator > 0)) return false;
    const double ratio = (m_.tokens + m_.sink) / denominator;
    // Signs first: channel 0 is coarse, the others differ from token to token.
    for (std::uint32_t run = 0; run < m_.runs; ++run)
      for (std::uint32_t i = 1; i <= p_.head_dim_v; ++i) {
        const std::uint32_t d = i % p_.head_dim_v;
        const int by = change(run, d);
        Sum sum = expected(run, d);
        sum.value += by, sum.partials += std::abs(by);
        const double allowed = allowance(roundings_, sum, m_.sign / denominator) * ratio;
        if (!(std::abs(m_.sums[std::size_t{run} * p_.head_dim_v + d] - sum.value * ratio) <= allowed)) return false;
      }
    return true;
  }

  Named token_named(std::uint32_t t, const char* what) const {
    Named named{fmt::format("token {} of request {} is {}", t, s_.request, what), {}};
    named.place.token = t;
    if (p_.page_tokens != 0) named.place.page = static_cast<std::int64_t>(page_of(t));
    if (t >= s_.drafts_begin() && p_.mask_kind != XQACHECK_MASK_NONE)
      named.what += fmt::format(": mask bit {} of row {} is {}", t - s_.drafts_begin(), m_.row,
                                seen_[t] ? "set, but not heeded" : "not set, but taken as set");
    return named;
  }

  std::uint64_t page_of(std::uint32_t t) const {
    const std::uint32_t page_tokens = code_.slots().page_tokens(), block_tokens = code_.slots().block_tokens();
    return slots_.block[t] / ((page_tokens + block_tokens - 1) / block_tokens);
  }

  // A slot that no token of this sequence lies in.
  Named foreign_token() const {
    const Slots& slots = code_.slots();
    for (std::uint32_t g = 0; g < p_.kv_heads; ++g)
      for (std::uint64_t page = 0; page < slots.pages(); ++page)
        for (std::uint32_t t = 0; t < slots.page_tokens(); ++t) {
          const std::uint64_t block = slots.block(page, t);
          if (!explains([&](std::uint32_t run,
                            std::uint32_t d) { return code_.signs(block, g, run, d).at(slots.in_block(t)); },
                        1))
            continue;
          Named named{fmt::format("slot {} of page {} of KV head {}, which is no token of request {}, is counted", t,
                                  page, g, s_.request),
                      {}};
          named.place.page = static_cast<std::int64_t>(page);
          return named;
        }
    return {};
  }

  int seen_in(std::int64_t begin, std::uint32_t length) const {
    int seen = 0;
    for (std::int64_t t = begin; t < std::min<std::int64_t>(begin + length, s_.length); ++t)
      seen += seen_[static_cast<std::size_t>(t)];
    return seen;
  }

  int range_sum(std::int64_t begin, std::uint32_t length, std::uint32_t run, std::uint32_t d) const {
    int sum = 0;
    BlockSigns signs;
    std::uint64_t open = ~std::uint64_t{0};
    for (std::int64_t t = begin; t < std::min<std::int64_t>(begin + length, s_.length); ++t) {
      const auto i = static_cast<std::size_t>(t);
      if (!seen_[i]) continue;
      if (slots_.block[i] != open) open = slots_.block[i], signs = code_.signs(open, m_.kv_head, run, d);
      sum += signs.at(slots_.place[i]);
    }
    return sum;
  }

  // The same places of another page: sum of the tokens that the row sees in its page `begin`.
  int page_sum(std::int64_t begin, std::uint64_t page, std::uint32_t run, std::uint32_t d) const {
    const Slots& slots = code_.slots();
    int sum = 0;
    BlockSigns signs;
    std::uint64_t open = ~std::uint64_t{0};
    for (std::uint32_t t = 0; t < slots.page_tokens() && begin + t < s_.length; ++t) {
      if (!seen_[static_cast<std::size_t>(begin + t)]) continue;
      const std::uint64_t block = slots.block(page, t);
      if (block != open) open = block, signs = code_.signs(block, m_.kv_head, run, d);
      sum += signs.at(slots.in_block(t));
    }
    return sum;
  }

  Named swapped_page() const {
    const Slots& slots = code_.slots();
    const std::uint32_t length = slots.page_tokens();
    const std::uint64_t own_pages = (static_cast<std::uint64_t>(s_.length) + length - 1) / length;
    if (own_pages * slots.pages() > kMostPagePairs) return {};
    for (std::int64_t begin = 0; begin < s_.length; begin += length) {
      if (seen_in(begin, length) == 0) continue;
      const std::uint64_t own = page_of(static_cast<std::uint32_t>(begin));
      // The first channel of the first run decides almost always: its own part is summed once.
      const int own_first = range_sum(begin, length, 0, 1);
      for (std::uint64_t page = 0; page < slots.pages(); ++page) {
        if (page == own) continue;
        if (!explains(
                [&](std::uint32_t run, std::uint32_t d) {
                  const int mine = run == 0 && d == 1 ? own_first : range_sum(begin, length, run, d);
                  return page_sum(begin, page, run, d) - mine;
                },
                0))
          continue;
        Named named{p_.page_tokens != 0
                        ? fmt::format("page {} is read in place of page {} (block {}, tokens from {} of request {})",
                                      page, own, begin / length, begin, s_.request)
                        : fmt::format("the cache of sequence {} is read in place of that of sequence {}", page, own),
                    {}};
        named.place.token = begin, named.place.page = static_cast<std::int64_t>(page);
        return named;
      }
    }
    return {};
  }

  const xqacheck_problem& p_;
  const reference::Sequence& s_;
  const SlotRow& slots_;
  const RowSums& row_sums_;
  const Code& code_;
  const Roundings& roundings_;
  const Measured& m_;
  std::vector<bool> seen_;
};

}  // namespace

Named name_fault(const xqacheck_problem& problem, const reference::Sight& sight, const reference::Sequence& sequence,
                 const SlotRow& slots, const RowSums& row_sums, const Code& code, const Roundings& roundings,
                 const std::vector<double>& sinks, std::uint32_t splits, const Measured& measured) {
  const Namer namer(problem, sight, sequence, slots, row_sums, code, roundings, measured);
  // From few candidates to many: what explains the row first is also the simplest fault.
  if (Named named = namer.sinks(sinks, splits); !named.what.empty()) return named;
  if (Named named = namer.others(); !named.what.empty()) return named;
  if (Named named = namer.tokens(); !named.what.empty()) return named;
  return namer.ranges();
}

}  // namespace xqacheck::properties::certificate
