// The error bound against correct kernels that round in every way that it knows: no false alarm, in either test, and a
// worst-case bound that is not loose by more than 20 times (doc/error-bounds.md, "Evidence").
//
// XQACHECK_SWEEP=i/n runs every n-th case of the nightly sweep only, from the i-th on.
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/flash32/flash32.h"
#include "kernels/noisy/noisy.h"
#include "properties/generate.hpp"
#include "reference/case_line.hpp"
#include "reference/judge.hpp"
#include "reference/problem.hpp"
#include "tests/catch.hpp"
#include "tests/reference/run_host_kernel.hpp"

namespace reference = xqacheck::reference;

namespace {

std::vector<const xqacheck_kernel*> kernels() {
  std::vector<const xqacheck_kernel*> all = {xqacheck_flash32_kernel()};
  for (std::uint32_t i = 0; const xqacheck_kernel* kernel = xqacheck_noisy_kernel(i); ++i) all.push_back(kernel);
  return all;
}

struct Usage {
  std::uint64_t runs = 0, elements = 0, without_bound = 0;
  double used = 0, used_long = 0, z = 0, mean_square = 0;  // used_long: cases of at least 512 tokens
  std::string used_by, z_by;
};

bool is_long(const reference::Case& c) {
  for (std::uint32_t length : c.lens)
    if (length >= 512) return true;
  return false;
}

std::string describe(const reference::Judgement& j) {
  std::string text = fmt::format("bound used {:.3g}, z {:.2f} of {:.2f}, mean square {:.3f} of {:.3f}, bad {}",
                                 j.bound_used, j.largest_z, j.z_limit, j.mean_square, j.mean_square_limit, j.bad);
  for (const reference::Fault& f : j.faults) {
    text += fmt::format("\n  {}{} row {} head {} channel {}: got {:.9g}, want {:.9g}, bound {:.3g}", name_of(f.kind),
                        f.lse ? " (LSE)" : "", f.row, f.head, f.dim, f.got, f.want, f.bound);
    if (&f - j.faults.data() >= 3) break;
  }
  return text;
}

void check(const reference::Case& c, const reference::Problem& problem, const xqacheck_kernel& kernel,
           std::uint32_t splits, Usage& usage) {
  const xqacheck_description& d = *kernel.describe();
  const xqacheck::tests::HostRun run = xqacheck::tests::run_host_kernel(kernel, problem, splits);
  if (!run.supported) return;
  const xqacheck_problem view = problem.view(nullptr, nullptr);
  const reference::Golden golden = reference::golden(view, &d.numerics, {true, false, 1});
  const reference::Judgement j = reference::judge(view, golden, &d.numerics, run.out.data(), run.out.size(),
                                                  run.lse.empty() ? nullptr : run.lse.data(), run.lse.size());
  if (!j.passed()) {
    FAIL_CHECK(fmt::format("{} splits={} {}\n  {}", d.name, splits, reference::print_case(c), describe(j)));
  }
  ++usage.runs;
  usage.elements += j.elements;
  usage.without_bound += j.without_bound;
  if (j.largest_z > usage.z) {
    usage.z = j.largest_z;
    usage.z_by = fmt::format("splits={} {}", splits, reference::print_case(c));
  }
  usage.mean_square = std::max(usage.mean_square, j.mean_square);
  usage.used = std::max(usage.used, j.bound_used);
  if (is_long(c) && j.bound_used > usage.used_long) {
    usage.used_long = j.bound_used;
    usage.used_by = reference::print_case(c);
  }
}

// `every`: each case runs on all kernels, else on one after the other in turn.
void sweep(std::uint64_t seed, std::uint64_t first, std::uint64_t step, std::uint64_t end, bool every) {
  const auto all = kernels();
  std::vector<Usage> usage(all.size());
  const xqacheck::properties::Profile profile = xqacheck::properties::full_profile();
  for (std::uint64_t index = first; index < end; index += step) {
    const reference::Case c = xqacheck::properties::draw_case(seed, index, profile);
    const reference::Problem problem = reference::make_problem(c);
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (every || index % all.size() == k)
        check(c, problem, *all[k], static_cast<std::uint32_t>(index / 7 % 4), usage[k]);
    }
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Usage& u = usage[k];
    fmt::print("{:13} {:6} runs {:9} elements ({} without bound), bound used {:.3f}, with >= 512 tokens {:.3f}: {}\n",
               all[k]->describe()->name, u.runs, u.elements, u.without_bound, u.used, u.used_long, u.used_by);
    fmt::print("{:13} largest z {:.2f}: {}; mean square {:.2f}\n", "", u.z, u.z_by, u.mean_square);
    CHECK(u.runs > 0);
    // A bound for next to everything: scores or sums that leave fp32 are the exception.
    CHECK(static_cast<double>(u.without_bound) < 0.1 * static_cast<double>(u.elements));
  }
}

}  // namespace

TEST_CASE("Correct noisy kernels pass on random cases") {
  sweep(4, 0, 1, 420, false);
}

// Random roundings average out and output rounding hides small errors, so most cases come nowhere near the worst case.
// These do: few heavy tokens, equal roundings (ties, sparse integers), an LSE in fp32.
TEST_CASE("The worst-case bound is within a factor of 20 of what a correct kernel does") {
  const char* lines[] = {
      "xqa/1 len=520 q=fp16 data=outlier seed=5",
      "xqa/1 len=600 q=fp16 data=peaky5 seed=4",
      "xqa/1 dim=16 len=4096 q=fp16 lse=1 data=ints seed=19",
      "xqa/1 dim=64 len=832 q=fp16 qscale=16 lse=1 data=ints seed=249",
      "xqa/1 dim=16 len=512 q=fp16 kv=e4m3 lse=1 data=heavy seed=546",
  };
  for (const xqacheck_kernel* kernel : kernels()) {
    Usage usage;
    for (const char* line : lines) {
      const reference::Case c = reference::parse_case(line);
      const reference::Problem problem = reference::make_problem(c);
      for (std::uint32_t splits : {1u, 3u}) check(c, problem, *kernel, splits, usage);
    }
    fmt::print("{:13} bound used {:.3f}: {}\n", kernel->describe()->name, usage.used_long, usage.used_by);
    CHECK(usage.used_long > 0.05);
  }
}

TEST_CASE("Correct noisy kernels pass on 20,000 random cases", "[nightly]") {
  std::uint64_t slice = 0, slices = 1;
  if (const char* text = std::getenv("XQACHECK_SWEEP"); text != nullptr) {
    REQUIRE(std::sscanf(text, "%lu/%lu", &slice, &slices) == 2);
    REQUIRE((slices > 0 && slice < slices));
  }
  sweep(5, slice, slices, 20'000, true);
}
