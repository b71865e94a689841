#include "kernels/jit/compile.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::kernels::jit;

TEST_CASE("registers, spills, stack and shared memory are read from ptxas' own words") {
  const auto use = resources_from_log(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'mmha' for 'sm_90a'\n"
      "ptxas info    : Function properties for mmha\n"
      "ptxas         .     256 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Used 62 registers, used 1 barriers, 256 bytes cumulative stack size, 2088 bytes smem\n"
      "ptxas info    : Compiling entry function 'other' for 'sm_90a'\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 7 registers\n");
  REQUIRE(use.size() == 2);
  CHECK(use[0].kernel == "mmha");
  CHECK(use[0].registers == 62);
  CHECK(use[0].spill_stores == 12);
  CHECK(use[0].spill_loads == 8);
  CHECK(use[0].stack_bytes == 256);
  CHECK(use[0].shared_bytes == 2088);
  CHECK(use[1].kernel == "other");
  CHECK(use[1].registers == 7);
  CHECK(use[1].shared_bytes == 0);
}
