// Random cases inside the domains: the emulated kernels must pass the golden model at both levels of its bound. A failure is a
// false alarm of the bound or a fault of the emulation; either way it is wrong.
#include <fmt/core.h>

#include <cmath>
#include <string>
#include <vector>

#include "emulation/kernels/emulated_kernels.h"
#include "properties/generate.hpp"
#include "properties/profile.hpp"
#include "reference/case_line.hpp"
#include "reference/golden.hpp"
#include "reference/judge.hpp"
#include "reference/problem.hpp"
#include "tests/catch.hpp"

using namespace xqacheck;

namespace {

using reference::Dtype;

// What the kernel takes, so that few draws are wasted; supports() has the last word.
properties::Profile profile_of(const xqacheck_kernel* kernel) {
  const std::string name = kernel->describe()->name;
  properties::Profile profile = properties::full_profile();
  profile.formats.clear();
  for (const Dtype q : {Dtype::fp16, Dtype::bf16}) {
    if (name != "emu-qgmma") profile.formats.push_back({q, q, q});
    if (name == "emu-hmma") profile.formats.push_back({q, Dtype::int8, q});
    if (name != "emu-hgmma") profile.formats.push_back({q, Dtype::e4m3, q}), profile.formats.push_back({q, Dtype::e4m3, Dtype::e4m3});
  }
  std::erase_if(profile.dims, [](std::uint32_t dim) { return dim > 256; });
  profile.ropes = {reference::RopeStyle::none};
  profile.mla = profile.zero_length = profile.skip = profile.bias = profile.lse = profile.nan_inputs = false;
  profile.poisoned_tail = kernel->describe()->domain.needs_finite_tail == 0;
  return profile;
}

struct Tally { std::uint32_t judged = 0, outside = 0, refused = 0; double bound_used = 0; };

// Draws until `wanted` cases were judged.
Tally run(const xqacheck_kernel* kernel, std::uint32_t wanted, std::uint64_t seed) {
  const properties::Profile profile = profile_of(kernel);
  const xqacheck_description& description = *kernel->describe();
  Tally tally;
  for (std::uint64_t index = 0; tally.judged < wanted; ++index) {
    REQUIRE(index < std::uint64_t{wanted} * 50);  // a generator that draws nothing useful
    reference::Case source = properties::draw_case(seed, index, profile);
    source.v_scale = source.k_scale;  // the kernels have one scale
    const std::string line = reference::print_case(source);
    INFO(line);
    const reference::Problem problem = reference::make_problem(source);
    std::vector<std::byte> out(problem.out_bytes(), std::byte{0xff});
    xqacheck_problem view = problem.view(out.data(), nullptr);
    if (index % 3 == 1) view.forced_splits = 1 + static_cast<std::uint32_t>(index % 7);
    char why[256];
    if (kernel->supports(&view, why, sizeof why) != XQACHECK_OK) { ++tally.refused; continue; }

    const reference::Golden golden = reference::golden(view, &description.numerics);
    bool inside = true;
    for (std::size_t i = 0; i < golden.empty.size(); ++i) {
      if (golden.empty[i] != 0 || golden.special[i] != 0 || golden.lse[i] < description.domain.min_row_max) inside = false;
    }
    if (!inside) { ++tally.outside; continue; }

    xqacheck_instance* instance = nullptr;
    xqacheck_workspace sizes{};
    REQUIRE(kernel->prepare(&view, &instance, why, sizeof why) == XQACHECK_OK);
    REQUIRE(kernel->workspace(instance, &view, &sizes) == XQACHECK_OK);
    std::vector<std::byte> scratch(sizes.scratch_bytes, std::byte{0xff}), state(sizes.state_bytes);
    const xqacheck_launch launch{scratch.data(), state.data(), nullptr};
    REQUIRE(kernel->run(instance, &view, &launch) == XQACHECK_OK);
    kernel->destroy(instance);
    for (const std::byte word : state) REQUIRE(word == std::byte{0});

    const reference::Judgement judgement =
        reference::judge(view, golden, &description.numerics, out.data(), out.size(), nullptr, 0);
    CHECK(judgement.bad == 0);
    CHECK_FALSE(judgement.mean_square_bad());
    tally.bound_used = std::max(tally.bound_used, judgement.bound_used);
    ++tally.judged;
  }
  fmt::print("{}: {} cases judged, {} refused, {} outside the domain, at most {:.3f} of the worst-case bound used\n", description.name,
             tally.judged, tally.refused, tally.outside, tally.bound_used);
  return tally;
}

const xqacheck_kernel* const kKernels[] = {xqacheck_emu_hmma_kernel(), xqacheck_emu_qgmma_kernel(), xqacheck_emu_hgmma_kernel()};

}  // namespace

TEST_CASE("random cases pass the golden model", "[random]") {
  for (const xqacheck_kernel* kernel : kKernels) {
    const Tally tally = run(kernel, 100, 1);
    CHECK(tally.bound_used > 0.05);  // a bound that is never nearly used says little
  }
}

TEST_CASE("3000 random cases pass the golden model", "[random][nightly]") {
  for (const xqacheck_kernel* kernel : kKernels) run(kernel, 1000, 20260101);
}
