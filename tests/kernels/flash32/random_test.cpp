// flash32 on random cases against the golden model, in this process: every element's true value must round to what was
// written, give or take the worst-case bound. `xqacheck verify` does the same with more care; this needs neither
// workers nor verdicts.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "kernels/flash32/flash32.h"
#include "kernels/flash32/formats.hpp"
#include "properties/generate.hpp"
#include "reference/case_line.hpp"
#include "reference/golden.hpp"
#include "reference/problem.hpp"
#include "tests/catch.hpp"

namespace flash32 = xqacheck::kernels::flash32;
namespace reference = xqacheck::reference;

namespace {

float decoded(std::uint32_t dtype, std::uint32_t bits) {
  float value;
  const auto wide = static_cast<std::uint16_t>(bits);
  const auto narrow = static_cast<std::uint8_t>(bits);
  if (flash32::element_bytes(dtype) == 2) {
    flash32::decode(&wide, dtype, 0, 1, &value);
  } else {
    flash32::decode(&narrow, dtype, 0, 1, &value);
  }
  return value;
}

// Could `truth`, off by at most `bound`, round to the stored `bits`? Neighbouring patterns are neighbouring magnitudes.
bool acceptable(std::uint32_t dtype, std::uint32_t bits, double truth, double bound) {
  const double got = decoded(dtype, bits);
  if (std::isnan(truth)) return std::isnan(got);
  const std::uint32_t sign = dtype == XQACHECK_E4M3 ? 0x80u : 0x8000u, magnitude = bits & ~sign & (2 * sign - 1);
  const std::uint32_t largest = dtype == XQACHECK_E4M3 ? 0x7eu : dtype == XQACHECK_FP16 ? 0x7c00u : 0x7f80u;
  const double size = std::fabs(got);
  // An infinite V times a weight that underflows in fp32 is NaN; the golden model's weight does not underflow.
  if (std::isinf(truth)) return std::isnan(got) || (magnitude == largest && std::signbit(got) == std::signbit(truth));
  if (std::isnan(got)) return false;
  // Largest finite number, half a step further: where infinity begins (16-bit formats); e4m3 saturates without end.
  const double inner =
      magnitude == 0 ? -0.5 * decoded(dtype, 1) : 0.5 * (decoded(dtype, magnitude - 1) + std::min(size, 0x1.fp300));
  double outer = std::numeric_limits<double>::infinity();
  if (magnitude + 1 < largest || (dtype == XQACHECK_E4M3 && magnitude < largest)) {
    outer = 0.5 * (size + decoded(dtype, magnitude + 1));
  } else if (magnitude + 1 == largest) {
    outer = size + 0.5 * (size - decoded(dtype, magnitude - 1));
  }
  const double along = std::signbit(got) ? -truth : truth;  // measured in the direction of `got`
  const double from = std::isinf(got) ? decoded(dtype, magnitude - 1) : inner;
  return along >= from - bound && along <= outer + bound;
}

// Runs flash32 on its own copy of the problem (it may append to the cache). Returns false where it says UNSUPPORTED.
bool run_flash32(const reference::Problem& original, std::uint32_t splits, std::vector<std::byte>& out,
                 std::vector<float>& lse) {
  const reference::Problem problem = original.clone();
  out.assign(problem.out_bytes(), std::byte{0xff});
  lse.assign(problem.lse_bytes() / sizeof(float), NAN);
  xqacheck_problem view = problem.view(out.data(), lse.empty() ? nullptr : lse.data());
  view.forced_splits = splits;
  const xqacheck_kernel* kernel = xqacheck_flash32_kernel();
  char why[256] = "";
  const xqacheck_status status = kernel->supports(&view, why, sizeof why);
  INFO(why);
  REQUIRE(status != XQACHECK_INVALID);
  if (status != XQACHECK_OK) return false;
  xqacheck_instance* instance = nullptr;
  REQUIRE(kernel->prepare(&view, &instance, why, sizeof why) == XQACHECK_OK);
  xqacheck_workspace sizes{};
  REQUIRE(kernel->workspace(instance, &view, &sizes) == XQACHECK_OK);
  std::vector<float> scratch(sizes.scratch_bytes / sizeof(float), NAN);
  std::vector<std::uint32_t> state(sizes.state_bytes / sizeof(std::uint32_t), 0);
  const xqacheck_launch launch{scratch.data(), state.data(), nullptr};
  REQUIRE(kernel->run(instance, &view, &launch) == XQACHECK_OK);
  kernel->destroy(instance);
  CHECK(std::all_of(state.begin(), state.end(), [](std::uint32_t counter) { return counter == 0; }));
  return true;
}

// `sharp` counts the elements whose bound is small enough to tell the right value from zero.
std::string first_fault(const xqacheck_problem& p, const reference::Golden& truth, const std::vector<std::byte>& out,
                        const std::vector<float>& lse, std::uint64_t& sharp) {
  for (std::uint32_t row = 0; row < truth.rows; ++row)
    for (std::uint32_t head = 0; head < truth.heads; ++head) {
      const std::size_t line = std::size_t{row} * truth.heads + head;
      for (std::uint32_t d = 0; d < truth.dim_v; ++d) {
        const std::size_t at = static_cast<std::size_t>(row * p.out_stride_row + head * p.out_stride_head + d);
        std::uint32_t bits = 0;
        const std::uint32_t bytes = flash32::element_bytes(p.out.dtype);
        std::memcpy(&bits, out.data() + at * bytes, bytes);
        const std::size_t element = line * truth.dim_v + d;
        sharp += !acceptable(p.out.dtype, 0, truth.out[element], truth.worst[element]);
        if (!acceptable(p.out.dtype, bits, truth.out[element], truth.worst[element]))
          return "row " + std::to_string(row) + " head " + std::to_string(head) + " channel " + std::to_string(d) +
                 ": got " + std::to_string(decoded(p.out.dtype, bits)) + ", want " +
                 std::to_string(truth.out[element]) + " +- " + std::to_string(truth.worst[element]);
      }
      if (lse.empty()) continue;
      const double got = lse[line] * std::log(static_cast<double>(p.lse_base)), want = truth.lse[line];
      const bool same = std::isfinite(want) ? std::fabs(got - want) <= truth.lse_worst[line] + std::fabs(want) * 0x1p-23
                        : std::isnan(want)  ? std::isnan(got)
                                            : got == want;
      if (!same)
        return "row " + std::to_string(row) + " head " + std::to_string(head) + ": LSE " + std::to_string(got) +
               ", want " + std::to_string(want) + " +- " + std::to_string(truth.lse_worst[line]);
    }
  return "";
}

void check_cases(std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  const xqacheck::properties::Profile profile = xqacheck::properties::full_profile();
  const xqacheck_numerics& numerics = xqacheck_flash32_kernel()->describe()->numerics;
  std::uint64_t ran = 0, elements = 0, sharp = 0;
  for (std::uint64_t index = first; index < first + count; ++index) {
    const reference::Case drawn = xqacheck::properties::draw_case(seed, index, profile);
    const reference::Problem problem = reference::make_problem(drawn);
    INFO(reference::print_case(drawn));
    const reference::Golden truth = reference::golden(problem.view(nullptr, nullptr), &numerics);
    for (const std::uint32_t splits : {0u, 1u + static_cast<std::uint32_t>(index % 5)}) {
      std::vector<std::byte> out;
      std::vector<float> lse;
      if (!run_flash32(problem, splits, out, lse)) break;
      ++ran;
      INFO("splits " << splits);
      CHECK(first_fault(problem.view(out.data(), lse.data()), truth, out, lse, sharp) == "");
      elements += truth.out.size();
    }
  }
  CHECK(ran >= count);           // at least half of the runs were not refused
  CHECK(sharp >= elements / 2);  // the comparison could have failed; what is left are zero and tiny values
}

}  // namespace

TEST_CASE("flash32 agrees with the golden model on random cases") {
  check_cases(1, 0, 300);
}

TEST_CASE("flash32 agrees with the golden model on many random cases", "[nightly]") {
  check_cases(2, 0, 10000);
}

TEST_CASE("a value next to the right one is not acceptable") {
  CHECK(acceptable(XQACHECK_BF16, 0x3f80, 1.0, 0));
  CHECK(acceptable(XQACHECK_BF16, 0x3f80, 1.00390625, 0));  // the midpoint
  CHECK_FALSE(acceptable(XQACHECK_BF16, 0x3f80, 1.00391, 0));
  CHECK_FALSE(acceptable(XQACHECK_BF16, 0x3f81, 1.0, 0));
  CHECK_FALSE(acceptable(XQACHECK_BF16, 0xbf80, 1.0, 0));
  CHECK(acceptable(XQACHECK_BF16, 0x8000, 1e-41, 0));
  CHECK(acceptable(XQACHECK_E4M3, 0x7e, 1e9, 0));
  CHECK_FALSE(acceptable(XQACHECK_E4M3, 0x7d, 1e9, 0));
  CHECK(acceptable(XQACHECK_FP16, 0x7c00, 65520, 0));
  CHECK_FALSE(acceptable(XQACHECK_FP16, 0x7c00, 65500, 0));
}
