#include "tests/reference/filters/planted_faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "properties/draws.hpp"
#include "reference/case_line.hpp"
#include "reference/filters/edits.hpp"
#include "reference/filters/explain.hpp"
#include "reference/filters/filters.hpp"
#include "reference/golden/element.hpp"

namespace xqacheck::tests {
namespace {

using properties::Draws;
using reference::TensorId;
using Changed = xqacheck_problem;
constexpr std::uint32_t kPage = 16, kHeads = 16, kGroup = 8, kDim = 128, kDrafts = 4;

Subject make_subject(const std::string& line, std::uint32_t tokens, const RoundedKernel& kernel) {
  Subject s{reference::make_problem(reference::parse_case(line)), {}, kernel.numerics(), {}, kernel.splits};
  // The case has one token more than the request: the token past the end holds data like any other.
  *s.problem.tensor(TensorId::seq_lens).as<std::uint32_t>() = tokens;
  s.view = s.problem.view(nullptr, nullptr);
  s.golden = reference::golden(s.view, &s.numerics);
  return s;
}

Draws draws_of(const Trial& t, std::uint64_t fault) {
  return Draws(t.number * 1000 + t.tokens, fault);
}

Faulty faulty(const Trial& t, const Subject& s, const Changed& changed, std::vector<std::string> names) {
  return {&s, run(t.kernel, changed), std::move(names)};
}

Faulty correct(const Trial& t) {
  return faulty(t, t.plain, t.plain.view, {});
}

Faulty zeros(const Trial& t) {
  return {&t.plain, std::vector<double>(t.plain.golden.out.size(), 0), {"output is zero", "output scale -100 %"}};
}

Faulty with_length(const Trial& t, std::uint32_t length, std::vector<std::string> names) {
  Changed p = t.plain.view;
  p.seq_lens.data = &length;
  return faulty(t, t.plain, p, std::move(names));
}

Faulty last_dropped(const Trial& t) {
  return with_length(t, t.tokens - 1,
                     {"last token missing", fmt::format("token {} of request 0 missing", t.tokens - 1)});
}

Faulty past_the_end(const Trial& t) {
  return with_length(t, t.tokens + 1,
                     {"one token past the end attended",
                      fmt::format("token {} of request 0 attended where it should not be", t.tokens)});
}

Faulty wrong_value_page(const Trial& t) {
  Draws draws = draws_of(t, 1);
  const std::uint32_t pages = t.tokens / kPage, wrong = draws.below(pages);  // a whole page of the request
  const std::uint32_t instead = (wrong + 1 + draws.below(pages - 1)) % pages;
  const auto* table = t.plain.problem.tensor(TensorId::page_table).as<std::int32_t>();
  const auto& pool = t.plain.problem.tensor(TensorId::v);
  std::vector<std::byte> v(pool.data(), pool.data() + pool.size());
  const std::size_t bytes =
      static_cast<std::size_t>(t.plain.view.v_stride_page) * reference::bytes_of(t.plain.view.v.dtype);
  std::memcpy(v.data() + table[wrong] * bytes, pool.data() + table[instead] * bytes, bytes);
  Changed p = t.plain.view;
  p.v.data = v.data();
  return faulty(t, t.plain, p,
                {fmt::format("V of page {} (tokens {} to {}) of request 0 read from physical page {}", wrong,
                             wrong * kPage, wrong * kPage + kPage - 1, table[instead])});
}

Faulty sinks_ignored(const Trial& t) {
  Changed p = t.plain.view;
  p.sinks = {};
  return faulty(t, t.plain, p, {"sinks ignored", "sink ignored in all heads"});
}

Faulty sinks_missing(const Trial& t, reference::filters::Heads heads, const char* name) {
  float sinks[kHeads];
  std::memcpy(sinks, t.plain.view.sinks.data, sizeof sinks);
  for (std::uint32_t h = 0; h < kHeads; ++h) {
    if (reference::filters::touches({.heads = heads}, h, kHeads)) sinks[h] = -1e30f;
  }
  Changed p = t.plain.view;
  p.sinks.data = sinks;
  return faulty(t, t.plain, p, {std::string("sink ignored in ") + name});
}

// The odd heads, the lower and the upper half in turn.
Faulty half_the_sinks(const Trial& t) {
  using reference::filters::Heads;
  if (t.number % 3 == 0) return sinks_missing(t, Heads::odd, "the odd heads");
  if (t.number % 3 == 1) return sinks_missing(t, Heads::lower, "the lower half of the heads");
  return sinks_missing(t, Heads::upper, "the upper half of the heads");
}

// Of sink logits 2 + head mod 4 the even heads hold the weak ones, 2 and 4: at 4096 tokens 0.1 % and 0.8 % of the
// weight.
Faulty weak_sinks(const Trial& t) {
  return sinks_missing(t, reference::filters::Heads::even, "the even heads");
}

Faulty window_off(const Trial& t) {
  Changed p = t.windowed.view;
  const bool wide = t.number % 2 == 0;
  p.window = wide ? p.window + 1 : p.window - 1;
  return faulty(t, t.windowed, p, {wide ? "window one token too wide" : "window one token too narrow"});
}

Faulty scaled(const Trial& t, double q, double v, std::string name) {
  Changed p = t.plain.view;
  p.q_scale = {static_cast<float>(p.q_scale.value * q), 0, nullptr};
  p.v_scale = {static_cast<float>(p.v_scale.value * v), 0, nullptr};
  return faulty(t, t.plain, p, {std::move(name)});
}

Faulty softmax_scale(const Trial& t) {
  return scaled(t, 1.01, 1, "softmax scale");
}
Faulty value_scale(const Trial& t) {
  return scaled(t, 1, 1.05, "output scale");
}

Faulty heads_swapped(const Trial& t) {
  Draws draws = draws_of(t, 2);
  const std::uint32_t group = draws.below(kHeads / kGroup) * kGroup, i = draws.below(kGroup);
  std::uint32_t a = group + i, b = group + (i + 1 + draws.below(kGroup - 1)) % kGroup;
  if (a > b) std::swap(a, b);
  Faulty f = correct(t);
  std::swap_ranges(f.out.begin() + a * kDim, f.out.begin() + (a + 1) * kDim, f.out.begin() + b * kDim);
  f.names = {fmt::format("query heads {} and {} swapped", a, b)};
  return f;
}

Faulty merged_without_rescale(const Trial& t) {
  RoundedKernel kernel = t.kernel;
  kernel.merge_without_rescale = true;
  return {
      &t.plain, run(kernel, t.plain.view), {fmt::format("{} sub-sequences merged without rescaling", kernel.splits)}};
}

Faulty full_mask(const Trial& t) {
  Changed p = t.drafted.view;
  p.mask_kind = XQACHECK_MASK_NONE;
  return faulty(t, t.drafted, p, {"full mask instead of the given one", "mask ignored: every draft sees every draft"});
}

Faulty first_page_skipped(const Trial& t) {
  Changed p = t.plain.view;
  const std::uint32_t length = t.tokens - kPage;
  p.seq_lens.data = const_cast<std::uint32_t*>(&length);
  p.page_table.data = static_cast<std::int32_t*>(p.page_table.data) + 1;
  p.page_table.bytes -= sizeof(std::int32_t);
  return faulty(t, t.plain, p, {"page 0 (tokens 0 to 15) of request 0 skipped"});
}

Faulty garbage_row(const Trial& t) {
  Draws draws = draws_of(t, 3);
  const std::uint32_t head = draws.below(kHeads);
  Faulty f = correct(t);
  double square = 0;
  for (double x : f.out) square += x * x;
  const double size = std::sqrt(square / static_cast<double>(f.out.size()));
  for (std::uint32_t d = 0; d < kDim; ++d) f.out[head * kDim + d] = size * (draws.below(2001) / 500.0 - 2);
  f.names = {fmt::format("row 0 of request 0, head {} is garbage, alone", head)};
  return f;
}

// What an element may be off without any filter: the worst case, or the level that none of all elements exceeds in a
// million runs, whichever is smaller; and half a cell of the output grid.
bool outside_bounds(const Subject& s, const std::vector<double>& out) {
  const reference::NumberFormat format = reference::format_of(s.view.out.dtype);
  const double level = reference::filters::alarm_level(out.size(), 1e-6);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double statistical = level * s.golden.sigma[i] + s.golden.bias[i];
    const double before = std::min(s.golden.worst[i], statistical);
    const double grid = reference::spacing(format, std::max(std::fabs(out[i]), std::fabs(s.golden.out[i]))) / 2;
    if (!(std::fabs(out[i] - s.golden.out[i]) <= before + grid)) return true;
  }
  return false;
}

}  // namespace

Trial make_trial(std::uint32_t tokens, std::uint64_t number, bool e4m3) {
  RoundedKernel kernel;
  kernel.p_format = e4m3 ? XQACHECK_E4M3 : XQACHECK_BF16;
  kernel.p_scale = e4m3 ? 448 : 1;
  kernel.splits = 2;
  kernel.partial_format = XQACHECK_BF16;
  const auto line = [&](std::uint32_t length, const std::string& extra) {
    return fmt::format("xqa/1 heads=16/2 len={} page=16 q=bf16 kv={} sinks=2 {}seed={}", length, e4m3 ? "e4m3" : "bf16",
                       extra, number);
  };
  return {tokens,
          number,
          kernel,
          make_subject(line(tokens + 1, ""), tokens, kernel),
          make_subject(line(tokens + 1, fmt::format("window={} ", tokens / 2)), tokens, kernel),
          make_subject(line(tokens, fmt::format("draft={} ", kDrafts)), tokens, kernel)};
}

const std::vector<PlantedFault>& planted_faults() {
  static const std::vector<PlantedFault> all = {
      {"(correct kernel)", correct},
      {"all-zero output", zeros},
      {"last token dropped", last_dropped},
      {"1 token past the end (N(0,1) tail)", past_the_end},
      {"one V page from wrong page", wrong_value_page},
      {"sinks ignored", sinks_ignored},
      {"window off by one", window_off},
      {"split merged without rescale", merged_without_rescale},
      {"two heads of one group swapped", heads_swapped},
      {"softmax scale 1% off", softmax_scale},
      {"V scale 5% off", value_scale},
      {"full mask instead of causal (4 drafts)", full_mask},
      {"one (row,head) garbage", garbage_row},
      {"first page skipped", first_page_skipped},
      {"half of the heads miss the sink", half_the_sinks},
      {"the half with the weakest sinks misses them", weak_sinks},
  };
  return all;
}

Judgement judge(const Faulty& f, bool explained, int threads) {
  using namespace reference::filters;
  const Subject& s = *f.subject;
  Judgement j;
  j.by_bound = outside_bounds(s, f.out);
  if (j.by_bound && !explained) return j;
  j.asked = true;
  Context context(s.view, s.golden, &s.numerics, f.out, s.splits);
  Screen screen = run_screen(context, threads);
  const FilterReport report = reference::filters::judge(context, screen, {.threads = threads});
  j.by_filter = report.alarm();
  if (!explained) return j;
  j.explained = true;
  const Explanation x = explain(context, screen, report, &s.numerics, {.threads = threads});
  if (x.ranked.empty()) return j;
  const Culprit& first = x.ranked.front();
  j.told = first.text();
  std::vector<std::string> texts = first.same_as;
  texts.push_back(j.told);
  for (const std::string& text : texts) {
    for (const std::string& name : f.names) j.named = j.named || text.compare(0, name.size(), name) == 0;
  }
  return j;
}

}  // namespace xqacheck::tests
