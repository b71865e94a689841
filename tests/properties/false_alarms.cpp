// No property fails a correct kernel: every host property on random cases of every built-in host kernel (flash32, the
// emulators) and of the deliberately noisy ones, each inside its domain.
//
// XQACHECK_SWEEP=i/n runs every n-th case only, from the i-th on.
#include <cstdio>
#include <cstdlib>
#include <map>

#include "kernels/noisy/noisy.h"
#include "kernels/registry.hpp"
#include "properties/campaign.hpp"
#include "properties/generate.hpp"
#include "properties/isolation/in_process_runner.hpp"
#include "reference/case_line.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::properties;

namespace {

constexpr std::uint64_t kSeed = 20261130;
// Fewer tokens than ordinary random cases: emulators take a hundred times longer than flash32, and what a property may
// get wrong (edges of tiles, pages, windows, masks) lies within a few hundred tokens.
constexpr SizeLimits kSizes{.products = 500'000, .elements = 100'000};

std::vector<const xqacheck_kernel*> correct_kernels() {
  std::vector<const xqacheck_kernel*> kernels;
  for (const xqacheck_kernel* kernel : xqacheck::kernels::builtin_kernels())
    if (kernel->describe()->memory == XQACHECK_HOST) kernels.push_back(kernel);
  for (std::uint32_t i = 0; xqacheck_noisy_kernel(i) != nullptr; ++i) kernels.push_back(xqacheck_noisy_kernel(i));
  return kernels;
}

struct Part {
  std::uint64_t index = 0, of = 1;
};

Part asked_part() {
  Part part;
  const char* text = std::getenv("XQACHECK_SWEEP");
  unsigned long long index = 0, of = 1;
  if (text != nullptr && std::sscanf(text, "%llu/%llu", &index, &of) == 2) part = {index, of};
  return part;
}

// Runs: verdicts that are not UNSUPPORTED.
std::uint64_t sweep(std::uint64_t cases_a_kernel, Part part) {
  std::vector<const Property*> properties;
  for (const Property* property : all_properties()) properties.push_back(property);
  std::uint64_t runs = 0, mistrusted = 0;
  std::map<std::string, std::uint64_t> by_property;
  for (const xqacheck_kernel* kernel : correct_kernels()) {
    InProcessRunner runner(*kernel);
    const Profile profile = probe_profile(runner);
    for (std::uint64_t i = part.index; i < cases_a_kernel; i += part.of) {
      xqacheck::reference::RunLine run;
      run.subject = draw_case(kSeed, i, profile, kSizes);
      run.kernel = kernel->describe()->name;
      for (const Verdict& verdict : judge_case(run, properties, runner, {}).verdicts) {
        if (verdict.status == Status::unsupported) continue;
        ++runs, ++by_property[verdict.property];
        mistrusted += verdict.status == Status::mistrusted;
        INFO(verdict.run_line);
        INFO(verdict.message);
        CHECK_FALSE(is_failure(verdict.status));
      }
    }
  }
  std::printf("%llu (case, property) runs, %llu MISTRUSTED:", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(mistrusted));
  for (const auto& [property, count] : by_property)
    std::printf(" %s %llu", property.c_str(), static_cast<unsigned long long>(count));
  std::printf("\n");
  return runs;
}

}  // namespace

TEST_CASE("no property fails a correct kernel: a few cases") {
  CHECK(sweep(3, {}) > 250);
}

// 20,000 runs in all parts together: 11 kernels, about 11 properties that speak, 180 cases each.
TEST_CASE("no property fails a correct kernel: 20,000 runs", "[nightly]") {
  const Part part = asked_part();
  CHECK(sweep(180, part) >= 20'000 / part.of * 9 / 10);
}
