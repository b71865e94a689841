// The host side of mmha, which needs no GPU: admission, splits, workspace, overrides by the environment.
#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/mmha/mmha.h"
#include "reference/case_line.hpp"
#include "reference/problem.hpp"
#include "tests/catch.hpp"

using namespace xqacheck;
using Catch::Matchers::Contains;

namespace {

struct Answer {
  xqacheck_status status;
  std::string why;
  std::uint32_t splits;
};

Answer ask(const std::string& line, std::uint32_t forced_splits = 0) {
  const reference::Problem problem = reference::make_problem(reference::parse_case(line));
  xqacheck_problem view = problem.view(nullptr, nullptr);
  view.forced_splits = forced_splits, view.sm_count = 132;
  char why[1024] = "";
  const xqacheck_kernel& kernel = *xqacheck_mmha_kernel();
  const xqacheck_status status = kernel.supports(&view, why, sizeof why);
  return {status, why, status == XQACHECK_OK ? kernel.split_plan(&view) : 0};
}

// Sets a variable for one test.
struct Environment {
  const char* name;
  Environment(const char* name_, const char* value) : name(name_) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name); }
};

}  // namespace

TEST_CASE("mmha takes any head count, every cache format and variant but fused RoPE") {
  for (const char* line : {"xqa/1 heads=7/7", "xqa/1 heads=96/1 dim=256", "xqa/1 q=fp16 kv=int8", "xqa/1 kv=e4m3 out=e4m3",
                           "xqa/1 dim=576/512 heads=16/1", "xqa/1 beam=4", "xqa/1 draft=4", "xqa/1 window=7 sinks=2 lse=1"}) {
    INFO(line);
    CHECK(ask(line).status == XQACHECK_OK);
  }
  CHECK(ask("xqa/1 rope=neox").status == XQACHECK_UNSUPPORTED);
  CHECK_THAT(ask("xqa/1 rope=neox").why, Contains("rope"));
}

TEST_CASE("its plan is the article's on one block a query head, with at most one sub-sequence a tile of 128 tokens") {
  CHECK(ask("xqa/1 heads=8/1 len=128").splits == 1);
  // 8192 / 128 = 64 blocks, cut to round(sqrt(8 * 64)) = 23; 8 heads are far from 8 waves of 132.
  CHECK(ask("xqa/1 heads=8/1 len=8192").splits == 23);
  // 64 requests x 32 heads x 16 blocks would be 248 waves: floor(16 / (248.2 / 8)) = 0, and at least 1.
  CHECK(ask("xqa/1 heads=32/4 dim=16 len=4096x64").splits == 1);
  CHECK(ask("xqa/1 heads=8/1 len=8192", 5).splits == 5);
}

TEST_CASE("XQACHECK_FORCE_SPLITS replaces the plan, but not the caller's own count") {
  const Environment forced("XQACHECK_FORCE_SPLITS", "7");
  CHECK(ask("xqa/1 heads=8/1 len=8192").splits == 7);
  CHECK(ask("xqa/1 heads=8/1 len=128").splits == 7);
  CHECK(ask("xqa/1 heads=8/1 len=8192", 5).splits == 5);
}

TEST_CASE("XQACHECK_FORCE_KERNEL keeps mmha from standing in for another kernel") {
  {
    const Environment forced("XQACHECK_FORCE_KERNEL", "hmma");
    CHECK(ask("xqa/1").status == XQACHECK_UNSUPPORTED);
    CHECK_THAT(ask("xqa/1").why, Contains("XQACHECK_FORCE_KERNEL=hmma"));
  }
  const Environment forced("XQACHECK_FORCE_KERNEL", "mmha");
  CHECK(ask("xqa/1").status == XQACHECK_OK);
}

TEST_CASE("overrides that cannot be read are refused with their name") {
  for (const auto& [name, value] : {std::pair{"XQACHECK_FORCE_SPLITS", "many"}, std::pair{"XQACHECK_FORCE_KERNEL", "fast"}}) {
    const Environment forced(name, value);
    CHECK(ask("xqa/1").status != XQACHECK_OK);
    CHECK_THAT(ask("xqa/1").why, Contains(std::string(name) + "=" + value));
  }
}

TEST_CASE("its table is complete, and without a device it says so") {
  const xqacheck_kernel& kernel = *xqacheck_mmha_kernel();
  CHECK(kernel.abi_version == XQACHECK_ABI_VERSION);
  CHECK(kernel.describe()->memory == XQACHECK_CUDA);
  CHECK(std::string(kernel.describe()->recipe->family) == "mmha");
  // Without a device prepare() must say so, and name the way out.
  const reference::Problem problem = reference::make_problem(reference::parse_case("xqa/1"));
  const xqacheck_problem view = problem.view(nullptr, nullptr);
  char why[1024] = "";
  xqacheck_instance* instance = nullptr;
  CHECK(kernel.prepare(&view, &instance, why, sizeof why) == XQACHECK_ERROR);
  CHECK_THAT(std::string(why), Contains("no device is open"));
}
