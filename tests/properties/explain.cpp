#include "properties/report/explain.hpp"

#include "tests/approved.hpp"
#include "tests/catch.hpp"
#include "tests/properties/sample_verdicts.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;

TEST_CASE("verdicts in full are as approved") {
  std::string text;
  for (const Verdict& verdict : all_samples()) text += explain(verdict) + "\n";
  CHECK_APPROVED("tests/properties/approved/explain.txt", text);
}

TEST_CASE("a command of one's own replaces repro") {
  CHECK(explain(failed_sample(), "xqacheck diff a b --case 'x'")
            .ends_with("  reproduce: xqacheck diff a b --case 'x'\n"));
}

TEST_CASE("the summary table is as approved") {
  Tally tally;
  for (const Verdict& verdict : all_samples()) tally.add("flash32", verdict);
  for (int dim = 16; dim < 64; dim += 16)
    tally.add("mine",
              sample(Status::unsupported, "golden", "", "head_dim " + std::to_string(dim) + ": multiples of 64 only"));
  for (int i = 0; i < 10; ++i) tally.add_case(i < 6);
  CHECK_APPROVED("tests/properties/approved/summary.txt", summary_table(tally, conclude(tally, {}), 12.34));
}

TEST_CASE("a passing summary says so") {
  Tally tally;
  tally.add("flash32", sample(Status::passed, "golden", "", ""));
  tally.add_case(true);
  CHECK(summary_table(tally, conclude(tally, {}), 1).ends_with("1 of 1 cases ran, 1 verdicts in 1.0 s: passed\n"));
}

TEST_CASE("the time table begins with what costs most, and leaves out what never ran") {
  Tally tally;
  const auto add = [&](const char* property, Status status, double seconds) {
    Verdict verdict = sample(status, property, "", "no");
    verdict.seconds = seconds;
    tally.add("flash32", verdict);
  };
  add("golden", Status::passed, 1), add("guard", Status::passed, 2), add("guard", Status::passed, 4);
  add("graph", Status::unsupported, 0);
  const std::string table = time_table(tally);
  CHECK_THAT(table, Catch::Matchers::Contains("flash32  guard       6.00 s   86 %   3000.00 ms each\n"
                                              "flash32  golden      1.00 s   14 %   1000.00 ms each\n"));
  CHECK_THAT(table, !Catch::Matchers::Contains("graph"));
}

TEST_CASE("quoting survives a shell") {
  CHECK(shell_quoted("a b") == "'a b'");
  CHECK(shell_quoted("it's") == "'it'\\''s'");
}
