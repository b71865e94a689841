#include "properties/reductions.hpp"

#include <algorithm>

#include "properties/case_steps.hpp"

namespace xqacheck::properties {
namespace {

using namespace reference;

// Values below `from` worth trying, the boldest first: the floor, the half, one step less.
std::vector<std::uint32_t> smaller(std::uint32_t from, std::uint32_t floor, std::uint32_t step = 1) {
  std::vector<std::uint32_t> out;
  if (from <= floor) return out;
  for (const std::uint32_t value : {floor, from / 2 / step * step, from >= step ? from - step : floor})
    if (value >= floor && value < from && std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
  return out;
}

class Steps {
 public:
  explicit Steps(const Case& from) : from_(from), size_(size_of(from)) {}

  template <class Change>
  void add(const char* rule, Change change) {
    Case c = from_;
    change(c);
    c = settled(std::move(c));
    if (c == from_ || size_of(c) >= size_ || !is_consistent(c)) return;
    for (const Reduction& r : found_)
      if (r.simpler == c) return;
    found_.push_back({rule, std::move(c)});
  }
  std::vector<Reduction> take() { return std::move(found_); }

 private:
  const Case& from_;
  double size_;
  std::vector<Reduction> found_;
};

void shrink_requests(const Case& from, Steps& steps) {
  const auto requests = static_cast<std::uint32_t>(from.lens.size());
  // Halves, quarters … of the batch, then single requests: delta debugging on the list of requests.
  for (std::uint32_t chunk = requests; chunk >= 1; chunk /= 2) {
    if (chunk == requests && requests > 1) continue;
    for (std::uint32_t first = 0; first + chunk <= requests && requests > 1; first += chunk) {
      if (2 * chunk <= requests) steps.add("keep some requests", [&](Case& c) { keep_requests(c, first, chunk); });
      steps.add("drop requests", [&](Case& c) { drop_requests(c, first, chunk); });
    }
  }
}

void shrink_lengths(const Case& from, Steps& steps) {
  steps.add("halve all lengths", [](Case& c) {
    for (auto& n : c.lens) n = (n + 1) / 2;
  });
  const bool all_equal = std::all_of(from.lens.begin(), from.lens.end(), [&](auto n) { return n == from.lens[0]; });
  if (all_equal && from.lens.size() > 1) {
    for (const std::uint32_t value : smaller(from.lens[0], 1))
      steps.add("shorten all requests", [&](Case& c) {
        for (auto& n : c.lens) n = value;
      });
  }
  for (std::size_t i = 0; i < from.lens.size(); ++i) {
    const std::uint32_t own_rows = from.draft.empty() ? 1 : from.rows(i);
    auto values = smaller(from.lens[i], own_rows);
    if (from.page != 0 && from.lens[i] > from.page) values.push_back(from.lens[i] - from.page);
    if (from.lens[i] > 64) values.push_back(from.lens[i] - 64);  // one tile less keeps the place in the tile
    if (from.lens[i] > 16) values.push_back(from.lens[i] - 8);
    for (const std::uint32_t value : values) steps.add("shorten a request", [&](Case& c) { c.lens[i] = value; });
    if (from.lens[i] == 1) steps.add("empty a request", [&](Case& c) { c.lens[i] = 0; });
  }
  if (from.window >
      0) {  // the end of a window moves with the length: both together keep the first visible token's place
    for (const std::uint32_t less : {64u, 16u, 4u, 1u})
      steps.add("shorten window and requests", [&](Case& c) {
        c.window -= std::min(c.window - 1, less);
        for (auto& n : c.lens) n -= std::min(n, less);
      });
  }
  steps.add("capacity by default", [](Case& c) { c.capacity = 0; });
}

void shrink_shape(const Case& from, Steps& steps) {
  for (const std::uint32_t heads : smaller(from.kv_heads, 1))
    steps.add("fewer KV heads", [&](Case& c) { c.q_heads = c.group() * heads, c.kv_heads = heads; });
  for (const std::uint32_t group : smaller(from.group(), 1))
    steps.add("smaller head group", [&](Case& c) { c.q_heads = c.kv_heads * group; });
  if (from.dim != from.dim_v) steps.add("no MLA", [](Case& c) { c.dim = c.dim_v = 128; });
  if (from.dim == from.dim_v) {
    for (const std::uint32_t dim : smaller(from.dim, 16, 16))
      steps.add("smaller head dim", [&](Case& c) {
        c.dim = c.dim_v = dim;
        if (c.rotary_dim >= dim) c.rotary_dim = 0;
      });
  }
  for (const std::uint32_t page : {0u, 8u, 16u, 32u, 64u}) {
    if (page >= from.page) continue;
    steps.add("smaller page, same lengths", [&](Case& c) { set_page(c, page); });
    if (page == 0) continue;
    steps.add("smaller page, same place in the page", [&](Case& c) {
      for (auto& n : c.lens) n = std::min(n, n / c.page * page + std::min(n % c.page, page - 1));
      set_page(c, page);
    });
  }
  steps.add("layout by default", [](Case& c) { c.layout = Case{}.layout; });
  steps.add("no padding", [](Case& c) {
    c.pad_page = c.pad_token = c.pad_head = c.table_pad = 0;
    c.q_pad_row = c.q_pad_head = c.out_pad_row = c.out_pad_head = 0;
  });
  steps.add("no q padding", [](Case& c) { c.q_pad_row = c.q_pad_head = 0; });
  steps.add("no output padding", [](Case& c) { c.out_pad_row = c.out_pad_head = 0; });
  steps.add("no table padding", [](Case& c) { c.table_pad = 0; });
  steps.add("no page padding", [](Case& c) { c.pad_page = 0; });
  steps.add("no token padding", [](Case& c) { c.pad_token = 0; });
  steps.add("no head padding", [](Case& c) { c.pad_head = 0; });
}

void shrink_formats(const Case& from, Steps& steps) {
  steps.add("output as q", [](Case& c) { c.out = c.q, c.rcp_out_scale = 1; });
  steps.add("no output scale", [](Case& c) { c.rcp_out_scale = 1; });
  steps.add("q scale 1", [](Case& c) { c.q_scale = 1; });
  steps.add("usual k scale", [](Case& c) { c.k_scale = default_kv_scale(c.kv); });
  steps.add("usual v scale", [](Case& c) { c.v_scale = default_kv_scale(c.kv); });
  steps.add("16-bit cache", [](Case& c) { set_kv(c, c.q); });
  if (from.kv == Dtype::e4m3) steps.add("int8 cache", [](Case& c) { set_kv(c, Dtype::int8); });
  steps.add("bf16", [](Case& c) {
    if (c.out == c.q) c.out = Dtype::bf16;
    if (c.kv == c.q) c.kv = Dtype::bf16;
    c.q = Dtype::bf16;
  });
}

void shrink_variants(const Case& from, Steps& steps) {
  steps.add("identity table", [](Case& c) { c.table = TableKind::identity; });
  steps.add("usual unused entries", [](Case& c) { c.unused = Case{}.unused; });
  steps.add("no spare pages", [](Case& c) { c.spare = 0; });
  steps.add("zero tail", [](Case& c) { c.tail = TailKind::zero; });
  steps.add("no sinks", [](Case& c) { c.sinks = SinkKind::none, c.sink_level = 0; });
  steps.add("level sinks", [](Case& c) {
    if (c.sinks != SinkKind::none) c.sinks = SinkKind::level, c.sink_level = 0;
  });
  steps.add("no window", [](Case& c) { c.window = 0; });
  for (const std::uint32_t window : smaller(from.window, 1))
    steps.add("smaller window", [&](Case& c) { c.window = window; });
  steps.add("plain decode", [](Case& c) { c.mask = MaskKind::none, c.draft.clear(), c.tree.clear(), c.bits.clear(); });
  if (!from.draft.empty()) {
    steps.add("causal mask", [](Case& c) { c.mask = MaskKind::causal, c.tree.clear(), c.bits.clear(); });
    steps.add("even drafts", [](Case& c) { set_all_drafts(c, *std::min_element(c.draft.begin(), c.draft.end())); });
    for (const std::uint32_t n : smaller(*std::max_element(from.draft.begin(), from.draft.end()), 1)) {
      steps.add("fewer drafts", [&](Case& c) { limit_drafts(c, n); });
      // A row that sees no older token stays so only if the tokens go with the drafts.
      steps.add("fewer drafts and tokens", [&](Case& c) {
        for (std::size_t i = 0; i < c.lens.size(); ++i) c.lens[i] -= c.rows(i) - std::min(c.rows(i), n);
        limit_drafts(c, n);
      });
    }
    for (std::size_t i = 0; from.draft.size() > 1 && i < from.draft.size(); ++i)
      for (const std::uint32_t n : smaller(from.draft[i], 1))
        steps.add("fewer drafts of a request", [&](Case& c) { set_draft(c, i, n); });
  }
  for (std::size_t r = 0; r < from.tree.size(); ++r)
    for (std::size_t i = 0; i < from.tree[r].size(); ++i)
      steps.add("draft hangs on the context", [&](Case& c) { c.tree[r][i] = 0; });
  for (std::size_t r = 0; r < from.bits.size(); ++r)
    for (std::size_t i = 0; i < from.bits[r].size(); ++i) {
      steps.add("clear a mask row", [&](Case& c) { c.bits[r][i] = 0; });
      steps.add("clear a mask bit", [&](Case& c) { c.bits[r][i] &= c.bits[r][i] - 1; });
    }
  for (const std::uint32_t beam : smaller(from.beam, 1))
    steps.add("fewer beams", [&](Case& c) {
      c.beam = beam;
      if (beam == 1) c.beam_context = kHalfOfLength;
    });
  steps.add("usual beam context", [](Case& c) { c.beam_context = kHalfOfLength; });
  steps.add("no skipping", [](Case& c) { c.skip = 0; });
  steps.add("no RoPE", [](Case& c) { c.rope = RopeStyle::none, c.rotary_dim = 0, c.bias = false; });
  steps.add("NeoX RoPE", [](Case& c) {
    if (c.rope != RopeStyle::none) c.rope = RopeStyle::neox;
  });
  steps.add("full rotary dim", [](Case& c) { c.rotary_dim = 0; });
  steps.add("no bias", [](Case& c) { c.bias = false; });
  steps.add("no LSE", [](Case& c) { c.lse = false; });
}

void shrink_contents(const Case& from, Steps& steps) {
  for (std::size_t i = 0; i < from.inject.size(); ++i) {
    steps.add("no injection", [&](Case& c) { c.inject.erase(c.inject.begin() + static_cast<std::ptrdiff_t>(i)); });
    for (const std::uint32_t token : smaller(from.inject[i].token, 0))
      steps.add("earlier injection", [&](Case& c) { c.inject[i].token = token; });
  }
  steps.add("small integers", [](Case& c) { c.data = DataKind::ints; });
  steps.add("normal data", [](Case& c) { c.data = DataKind::normal; });
  steps.add("geometry seed 0", [](Case& c) { c.geo = 0; });
  steps.add("seed 0", [](Case& c) { c.seed = 0; });
}

}  // namespace

std::vector<Reduction> reductions(const Case& c) {
  Steps steps(c);
  shrink_requests(c, steps);
  shrink_lengths(c, steps);
  shrink_variants(c, steps);
  shrink_shape(c, steps);
  shrink_formats(c, steps);
  shrink_contents(c, steps);
  return steps.take();
}

}  // namespace xqacheck::properties
