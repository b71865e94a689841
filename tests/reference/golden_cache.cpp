// Appended tokens: what flash32 leaves in the cache is what the golden model expects; anything else is noticed.
#include <string>

#include "kernels/flash32/flash32.h"
#include "reference/cache_check.hpp"
#include "reference/case_line.hpp"
#include "reference/golden/element.hpp"
#include "reference/problem.hpp"
#include "tests/catch.hpp"
#include "tests/reference/run_host_kernel.hpp"

namespace reference = xqacheck::reference;

namespace {

std::vector<reference::CacheFault> faults_of(const xqacheck_problem& before, const xqacheck_problem& after,
                                             std::uint64_t* checked = nullptr) {
  return reference::check_cache(before, static_cast<const std::byte*>(after.k.data), after.k.bytes,
                                static_cast<const std::byte*>(after.v.data), after.v.bytes, 16, checked);
}

}  // namespace

TEST_CASE("flash32 appends what the golden model expects") {
  for (const char* line : {
           "xqa/1 heads=4/2 dim=64 len=9,1,33 page=16 rope=neox lse=1 seed=1",
           "xqa/1 heads=4/2 dim=64 len=9,40 page=0 rope=gptj/32 bias=1 q=fp16 seed=2",
           "xqa/1 heads=4/1 dim=64 len=9,40 page=8 kv=e4m3 rope=longrope bias=1 draft=3 seed=3",
           "xqa/1 heads=4/2 dim=128 len=9,40 page=32 layout=pool kv=int8 rope=neox draft=5 tree=0,1,1,2,3 seed=4",
           "xqa/1 heads=4/2 dim=64 len=70 page=64 layout=hnd pad=8/8/16 kv=e4m3 kscale=0.6875 rope=neox draft=2 seed=5",
       }) {
    INFO(line);
    const reference::Problem problem = reference::make_problem(reference::parse_case(line));
    const xqacheck::tests::HostRun run = xqacheck::tests::run_host_kernel(*xqacheck_flash32_kernel(), problem, 1);
    REQUIRE(run.supported);
    const xqacheck_problem before = problem.view(nullptr, nullptr), after = run.problem.view(nullptr, nullptr);
    std::uint64_t checked = 0;
    const auto faults = faults_of(before, after, &checked);
    for (const auto& f : faults) INFO((f.v ? "v" : "k") << f.element << " got " << f.got << " want " << f.want);
    CHECK(faults.empty());
    CHECK(checked == std::uint64_t{before.total_rows} * before.kv_heads * (before.head_dim + before.head_dim_v));

    // The old contents are wrong nearly everywhere, and one step of one number is noticed.
    CHECK(faults_of(before, before).size() == 16);
    const auto first = faults_of(before, before)[5];
    auto& bytes = first.v ? after.v : after.k;
    auto* number = static_cast<std::byte*>(bytes.data) + first.element * reference::bytes_of(bytes.dtype);
    number[0] ^= std::byte{2};
    const auto one = faults_of(before, after);
    REQUIRE(one.size() == 1);
    CHECK(one[0].element == first.element);
    CHECK(one[0].token == first.token);
    CHECK(one[0].channel == first.channel);
  }
}

TEST_CASE("Nothing is appended without new tokens") {
  const reference::Problem problem = reference::make_problem(reference::parse_case("xqa/1 heads=4/2 dim=64 len=9"));
  std::uint64_t checked = 1;
  CHECK(faults_of(problem.view(nullptr, nullptr), problem.view(nullptr, nullptr), &checked).empty());
  CHECK(checked == 0);
}
