// The filters on correct kernels: no alarm, whatever the shape, the data and the rounding (doc/filters.md, "Evidence").
//
// XQACHECK_SWEEP=i/n runs every n-th case of the nightly sweep only, from the i-th on.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/flash32/flash32.h"
#include "kernels/noisy/noisy.h"
#include "properties/generate.hpp"
#include "reference/case_line.hpp"
#include "reference/filters/filters.hpp"
#include "reference/golden/element.hpp"
#include "reference/problem.hpp"
#include "tests/catch.hpp"
#include "tests/reference/run_host_kernel.hpp"

namespace {

using namespace xqacheck;
namespace filters = reference::filters;

std::vector<const xqacheck_kernel*> kernels() {
  std::vector<const xqacheck_kernel*> all = {xqacheck_flash32_kernel()};
  for (std::uint32_t i = 0; const xqacheck_kernel* kernel = xqacheck_noisy_kernel(i); ++i) all.push_back(kernel);
  return all;
}

std::vector<double> decoded(const xqacheck_problem& p, const std::vector<std::byte>& out) {
  std::vector<double> values(std::size_t{p.total_rows} * p.q_heads * p.head_dim_v);
  const std::size_t size = reference::bytes_of(p.out.dtype);
  for (std::size_t row = 0, i = 0; row < p.total_rows; ++row) {
    for (std::size_t head = 0; head < p.q_heads; ++head) {
      const std::size_t first =
          row * static_cast<std::size_t>(p.out_stride_row) + head * static_cast<std::size_t>(p.out_stride_head);
      for (std::size_t d = 0; d < p.head_dim_v; ++d)
        values[i++] = reference::element(out.data() + (first + d) * size, p.out.dtype);
    }
  }
  return values;
}

struct Usage {
  std::uint64_t runs = 0, judged = 0, aligned = 0;
  double noise = 0, nearest = 0;  // largest noise / its level; most of an alarm level that a statistic came to
  std::string by;
};

void check(const reference::Case& c, const reference::Problem& problem, const xqacheck_kernel& kernel,
           std::uint32_t splits, Usage& usage) {
  const xqacheck_description& d = *kernel.describe();
  const tests::HostRun run = tests::run_host_kernel(kernel, problem, splits);
  if (!run.supported) return;
  const xqacheck_problem view = problem.view(nullptr, nullptr);
  const reference::Golden golden = reference::golden(view, &d.numerics, {.threads = 1});
  const filters::FilterReport report =
      filters::run_filters(view, golden, &d.numerics, decoded(view, run.out), {.threads = 1, .splits = splits});
  for (const filters::Finding& f : report.alarms) {
    FAIL_CHECK(fmt::format("{} splits={} {}\n  {} ({:.1f} sigma, level {:.1f}), noise {:.3g} of {:.3g}", d.name, splits,
                           reference::print_case(c), filters::text_of(f.suspect, f.amplitude), f.sigmas,
                           report.level_of(f.suspect), report.noise, report.noise_level));
  }
  ++usage.runs;
  usage.aligned += report.p_left < 1 ? 1 : 0;
  usage.judged += report.judged;
  if (report.noise_level > 0) usage.noise = std::max(usage.noise, report.noise / report.noise_level);
  if (report.nearest > usage.nearest) usage.nearest = report.nearest, usage.by = reference::print_case(c);
}

void sweep(std::uint64_t seed, std::uint64_t first, std::uint64_t step, std::uint64_t end) {
  const auto all = kernels();
  std::vector<Usage> usage(all.size());
  const properties::Profile profile = properties::full_profile();
  for (std::uint64_t index = first; index < end; index += step) {
    const reference::Case c = properties::draw_case(seed, index, profile);
    const reference::Problem problem = reference::make_problem(c);
    const std::size_t k = index % all.size();
    check(c, problem, *all[k], static_cast<std::uint32_t>(index / 7 % 4), usage[k]);
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Usage& u = usage[k];
    fmt::print(
        "{:13} {:6} runs ({} aligned) {:9} elements, noise {:.2f} of its level, nearest statistic {:.2f} of its level: "
        "{}\n",
        all[k]->describe()->name, u.runs, u.aligned, u.judged, u.noise, u.nearest, u.by);
    CHECK(u.runs > 0);
  }
}

TEST_CASE("filters give no false alarm on correct kernels") {
  sweep(41, 0, 1, 350);
}

// What each taught: equal output roundings of nearly equal rows (doc/filters.md F4), a page that holds all tokens of a
// row, the same with two tokens, outputs next to the border of two cells (F4), output roundings in the noise (F7).
TEST_CASE("filters give no false alarm where they once did") {
  struct Once {
    const char* kernel;
    std::uint32_t splits;
    const char* line;
  };
  const Once once[] = {
      {"noisy-e4m3p", 3,
       "xqa/1 heads=18/2 len=11x2,10,11,8,11,8 layout=hnd q=fp16 kv=e4m3 out=e4m3 table=aliased spare=5 tail=nan "
       "sinks=log draft=8 mask=full data=tiny geo=398 seed=23109"},
      {"noisy-e4m3p", 3,
       "xqa/1 heads=7/1 dim=256 len=8x2 page=64 layout=pool pad=16/64/16 qpad=8/8 outpad=16/16 q=fp16 kv=int8 "
       "table=reversed unused=zero tail=max tree=0,0,0,2,2,1,5,4 lse=1 geo=251 seed=34333"},
      {"noisy-e4m3p", 2,
       "xqa/1 heads=18/2 dim=224 len=2 cap=15 page=0 layout=hnd q=fp16 kv=int8 beam=4 lse=1 geo=761 seed=36612"},
      {"flash32", 1,
       "xqa/1 heads=24/2 len=30 page=8 layout=hnd q=fp16 kv=e4m3 out=e4m3 qscale=1.375 kscale=0.125 vscale=0.1875 "
       "rcpout=8 table=identity unused=huge sinks=-4 window=2 tree=0,1,1,1,0,4,5,7,7,3,0,1,3,11,13,10 lse=1 data=heavy "
       "geo=130 seed=93079"},
      {"noisy-bf16p", 0,
       "xqa/1 heads=9/1 dim=64 len=16,81 layout=pool kv=e4m3 out=e4m3 qscale=0.5 kscale=0.5 vscale=0.5 rcpout=3 "
       "table=prefix unused=minus tail=zero window=255 draft=16 mask=full data=coded geo=521 seed=68964"},
  };
  Usage usage;
  for (const Once& o : once) {
    const reference::Case c = reference::parse_case(o.line);
    for (const xqacheck_kernel* kernel : kernels()) {
      if (std::string(kernel->describe()->name) == o.kernel)
        check(c, reference::make_problem(c), *kernel, o.splits, usage);
    }
  }
  CHECK(usage.runs == std::size(once));
}

TEST_CASE("filters give no false alarm on correct kernels: 20,000 cases", "[nightly]") {
  std::uint64_t slice = 0, slices = 1;
  if (const char* text = std::getenv("XQACHECK_SWEEP")) {
    slice = std::strtoull(text, nullptr, 10);
    if (const char* slash = std::strchr(text, '/'))
      slices = std::max<std::uint64_t>(1, std::strtoull(slash + 1, nullptr, 10));
  }
  sweep(42, slice, slices, 20000);
}

}  // namespace
