#include "properties/report/exit_code.hpp"

#include "tests/catch.hpp"
#include "tests/properties/sample_verdicts.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;

namespace {

Tally tally_of(int passed, int failed, int mistrusted, int unsupported) {
  Tally tally;
  const std::pair<Status, int> parts[] = {{Status::passed, passed},
                                          {Status::failed, failed},
                                          {Status::mistrusted, mistrusted},
                                          {Status::unsupported, unsupported}};
  for (const auto& [status, count] : parts)
    for (int i = 0; i < count; ++i) {
      tally.add("k", sample(status, "golden", "", ""));
      tally.add_case(status != Status::unsupported);
    }
  return tally;
}

int code(const Tally& tally, const Demands& demands = {}) {
  return static_cast<int>(conclude(tally, demands).code);
}

}  // namespace

TEST_CASE("exit codes of a run") {
  CHECK(code(tally_of(10, 0, 0, 0)) == 0);
  CHECK(code(tally_of(10, 1, 0, 0)) == 1);
  CHECK(code(tally_of(0, 0, 0, 10)) == 4);  // nothing ran
  CHECK(code(tally_of(0, 0, 0, 0)) == 4);   // nothing was asked for
  CHECK(code(tally_of(5, 0, 0, 5)) == 0);   // half ran, which is enough by default
  CHECK(code(tally_of(4, 0, 0, 6)) == 4);   // less than half
  CHECK(code(tally_of(19, 0, 1, 0)) == 0);  // 5 % MISTRUSTED are allowed
  CHECK(code(tally_of(18, 0, 1, 0)) == 4);  // more are not
  CHECK(code(tally_of(0, 0, 5, 0)) == 4);
}

TEST_CASE("a failure outweighs too little") {
  CHECK(code(tally_of(0, 1, 0, 10)) == 1);
  CHECK(code(tally_of(0, 1, 10, 0)) == 1);
}

TEST_CASE("crashes and hangs fail a run") {
  for (const Status status : {Status::crashed, Status::hung}) {
    Tally tally = tally_of(10, 0, 0, 0);
    tally.add("k", sample(status, "golden", "", ""));
    CHECK(code(tally) == 1);
  }
}

TEST_CASE("a known failure is no failure, but one that passes is") {
  Tally tally = tally_of(10, 0, 0, 0);
  tally.add("k", sample(Status::known, "golden", "value", ""));
  CHECK(code(tally) == 0);
  tally.add_known_failure_that_passes();
  CHECK(code(tally) == 1);
}

TEST_CASE("demands can be raised and lowered, but a run of nothing never passes") {
  CHECK(code(tally_of(9, 0, 0, 1), {.min_executed = 1.0}) == 4);
  CHECK(code(tally_of(1, 0, 0, 9), {.min_executed = 0.1}) == 0);
  CHECK(code(tally_of(1, 0, 9, 0), {.max_mistrusted = 0.9}) == 0);
  CHECK(code(tally_of(1, 0, 1, 0), {.max_mistrusted = 0}) == 4);
  CHECK(code(tally_of(0, 0, 0, 3), {.min_executed = 0, .max_mistrusted = 1}) == 4);
}

TEST_CASE("the reason names the option that can be changed") {
  CHECK(conclude(tally_of(4, 0, 0, 6), {}).why == "only 4 of 10 cases ran, fewer than --min-executed 50 %");
  CHECK(conclude(tally_of(1, 0, 1, 0), {}).why == "1 of 2 verdicts are MISTRUSTED, more than --max-mistrusted 5 %");
}

TEST_CASE("exit codes of a single verdict") {
  CHECK(static_cast<int>(exit_code_of(Status::passed)) == 0);
  CHECK(static_cast<int>(exit_code_of(Status::failed)) == 1);
  CHECK(static_cast<int>(exit_code_of(Status::crashed)) == 1);
  CHECK(static_cast<int>(exit_code_of(Status::hung)) == 1);
  CHECK(static_cast<int>(exit_code_of(Status::unsupported)) == 4);
  CHECK(static_cast<int>(exit_code_of(Status::mistrusted)) == 4);
}
