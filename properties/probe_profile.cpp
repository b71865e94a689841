// Asks a kernel about one feature at a time.
#include <fmt/format.h>

#include <algorithm>

#include "properties/case_steps.hpp"
#include "properties/profile.hpp"
#include "properties/runner.hpp"
#include "reference/case_line.hpp"
#include "reference/names.hpp"

namespace xqacheck::properties {
namespace {

using namespace reference;

// A kernel that hangs on everything must not be asked a hundred times: after this many hangs the rest counts as
// supported, and the run itself shows what happens.
constexpr int kMostHangs = 2;
constexpr int kMostCrashes = 8;  // each costs a new worker
constexpr double kProbeSeconds = 5;

class Probe {
 public:
  explicit Probe(Runner& runner) : runner_(runner) {}

  // Crashes and errors count as supported: the run itself shall show them.
  bool supports(const Case& unsettled) {
    if (hangs_ >= kMostHangs || crashes_ >= kMostCrashes) return true;
    const Case c = settled(unsettled);
    if (!is_consistent(c)) return false;
    RunOptions options;
    options.timeout_seconds = kProbeSeconds;
    const Outcome outcome = runner_.run(make_problem(c), options);
    hangs_ += outcome.status == RunStatus::hung;
    crashes_ += outcome.status == RunStatus::crashed;
    why_ = outcome.why;
    return outcome.status != RunStatus::unsupported && outcome.status != RunStatus::invalid;
  }

  // The values for which `change` of the base case is supported; refusals are noted under `name`.
  template <class T, class Change, class Name>
  std::vector<T> filter(const Case& base, const std::vector<T>& values, const char* name, Change change, Name text) {
    std::vector<T> kept, asked;
    for (const T& value : values) {
      if (std::find(asked.begin(), asked.end(), value) != asked.end()) {  // repeated for its weight
        if (std::find(kept.begin(), kept.end(), value) != kept.end()) kept.push_back(value);
        continue;
      }
      asked.push_back(value);
      Case c = base;
      change(c, value);
      if (supports(c))
        kept.push_back(value);
      else
        left_out_.push_back(fmt::format("{}={}: {}", name, text(value), why_));
    }
    return kept;
  }

  template <class Change>
  bool flag(const Case& base, const char* name, Change change) {
    Case c = base;
    change(c);
    if (supports(c)) return true;
    left_out_.push_back(fmt::format("{}: {}", name, why_));
    return false;
  }

  std::vector<std::string> take_left_out() { return std::move(left_out_); }

 private:
  Runner& runner_;
  int hangs_ = 0, crashes_ = 0;
  std::string why_;
  std::vector<std::string> left_out_;
};

Case with_formats(Case c, const Formats& formats) {
  c.q = formats.q, c.kv = formats.kv, c.out = formats.out;
  c.k_scale = c.v_scale = default_kv_scale(c.kv);
  return c;
}

std::string text_of(const Formats& f) {
  return fmt::format("{} kv={} out={}", name_of(f.q), name_of(f.kv), name_of(f.out));
}

Case with_mask(Case c, MaskKind mask) {
  c.mask = mask;
  if (mask != MaskKind::none) c.draft = {3};
  if (mask == MaskKind::tree) c.tree = {{0, 1, 1}};
  if (mask == MaskKind::bits) c.bits = {{1, 3, 5}};
  return c;
}

// A case that the kernel takes, to start from: the usual shapes of decode kernels, the commonest first.
bool find_base(Probe& probe, Case& base) {
  for (const std::uint32_t dim : {128u, 64u, 256u, 576u})
    for (const std::uint32_t page : {32u, 64u, 16u, 128u, 0u})
      for (const Dtype q : {Dtype::bf16, Dtype::fp16})
        for (const Dtype kv : {q, Dtype::e4m3, Dtype::int8})
          for (const Layout layout : {Layout::nhd, Layout::hnd, Layout::pool}) {
            Case c;
            c.dim = dim, c.dim_v = dim == 576 ? 512 : dim, c.page = page, c.layout = layout;
            c = with_formats(c, {q, kv, q});
            c.lens = {17};
            if (probe.supports(c)) {
              base = settled(c);
              return true;
            }
          }
  return false;
}

}  // namespace

Profile probe_profile(Runner& runner) {
  Probe probe(runner);
  const Profile all = full_profile();
  Case base;
  if (!find_base(probe, base)) return all;
  Profile p = all;
  const auto number = [](std::uint32_t n) { return std::to_string(n); };
  const auto name = [](auto value) { return std::string(name_of(value)); };
  p.formats = probe.filter(
      base, all.formats, "q", [](Case& c, const Formats& f) { c = with_formats(c, f); }, text_of);
  const bool mla_only = base.dim != base.dim_v;
  p.dims = mla_only ? std::vector<std::uint32_t>{128}
                    : probe.filter(
                          base, all.dims, "dim", [](Case& c, std::uint32_t dim) { c.dim = c.dim_v = dim; }, number);
  p.groups = probe.filter(
      base, all.groups, "group", [](Case& c, std::uint32_t g) { c.q_heads = g, c.kv_heads = 1; }, number);
  p.pages = probe.filter(
      base, all.pages, "page", [](Case& c, std::uint32_t page) { set_page(c, page); }, number);
  p.layouts = probe.filter(
      base, all.layouts, "layout", [](Case& c, Layout layout) { c.layout = layout; }, name);
  p.masks = probe.filter(
      base, all.masks, "mask", [](Case& c, MaskKind mask) { c = with_mask(c, mask); }, name);
  p.sinks = probe.filter(
      base, all.sinks, "sinks", [](Case& c, SinkKind kind) { c.sinks = kind; },
      [](SinkKind kind) { return std::string(sink_names()[static_cast<std::size_t>(kind)]); });
  p.ropes = probe.filter(
      base, all.ropes, "rope", [](Case& c, RopeStyle style) { c.rope = style; }, name);
  p.mla = probe.flag(base, "dim=576/512", [](Case& c) { c.dim = 576, c.dim_v = 512; });
  p.window = probe.flag(base, "window", [](Case& c) { c.window = 5; });
  p.beam = probe.flag(base, "beam", [](Case& c) { c.beam = 4; });
  p.skip = probe.flag(base, "skip", [](Case& c) { c.skip = 4; });
  p.lse = probe.flag(base, "lse", [](Case& c) { c.lse = true; });
  p.padding = probe.flag(base, "pad", [](Case& c) { c.pad_page = c.pad_token = c.pad_head = 16; });
  const auto quantised =
      std::find_if(p.formats.begin(), p.formats.end(), [](const Formats& f) { return !is_16bit(f.kv); });
  p.scales_apart = quantised == p.formats.end() ||
                   probe.flag(with_formats(base, *quantised), "kscale != vscale", [](Case& c) { c.k_scale *= 2; });
  p.scales = probe.flag(base, "qscale", [](Case& c) { c.q_scale = 0.5f; });
  if (p.ropes != std::vector<RopeStyle>{} && p.ropes.back() != RopeStyle::none)
    p.bias = probe.flag(base, "bias", [&](Case& c) { c.rope = p.ropes.back(), c.bias = true; });
  p.ragged_draft = std::any_of(p.masks.begin(), p.masks.end(), [](MaskKind m) { return m != MaskKind::none; }) &&
                   probe.flag(base, "ragged draft", [&](Case& c) {
                     c = with_mask(c, p.masks.back());
                     c.lens = {17, 9}, c.draft = {3, 2};
                     if (!c.tree.empty()) c.tree = {{0, 1, 1}, {0, 1}};
                     if (!c.bits.empty()) c.bits = {{1, 3, 5}, {1, 3}};
                   });
  const xqacheck_domain& domain = runner.description().domain;
  p.zero_length = domain.zero_length != XQACHECK_EMPTY_UNSUPPORTED;
  p.poisoned_tail = domain.needs_finite_tail == 0;
  p.nan_inputs = domain.nan_policy == 0;
  if (domain.min_row_max != 0 || domain.fully_masked == XQACHECK_EMPTY_UNSUPPORTED)
    std::erase(p.data, DataKind::neginf);
  if (domain.max_abs_score > 0 || domain.min_row_max != 0) {  // rows of such data leave the declared range of scores
    std::erase(p.data, DataKind::huge);
    std::erase(p.data, DataKind::wide);
  }
  p.left_out = probe.take_left_out();
  return p;
}

}  // namespace xqacheck::properties
