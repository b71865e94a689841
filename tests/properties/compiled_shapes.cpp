// Reports count the machine code that ran.
#include <nlohmann/json.hpp>

#include "properties/report/explain.hpp"
#include "properties/report/json_lines.hpp"
#include "properties/report/tally.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::properties;

namespace {

Verdict passed_with(const std::string& compiled) {
  Verdict verdict;
  verdict.property = "golden";
  verdict.route.compiled = compiled;
  return verdict;
}

}  // namespace

TEST_CASE("different pieces of machine code are counted once, by kernel") {
  Tally tally;
  for (const char* key : {"a", "b", "a", "", "a+c"}) tally.add("mmha", passed_with(key));
  tally.add("flash32", passed_with(""));
  CHECK(tally.compiled_shapes() == std::map<std::string, std::size_t>{{"mmha", 3}});
  const Conclusion conclusion;
  CHECK_THAT(summary_table(tally, conclusion, 1), Catch::Contains("mmha was compiled to 3 shapes at run time"));
  CHECK(nlohmann::json::parse(json_of(tally, conclusion, 1)).at("compiled_shapes").at("mmha") == 3);
  CHECK(nlohmann::json::parse(json_of(passed_with("a+c"), "mmha", 0)).at("route").at("compiled") == "a+c");
}

TEST_CASE("kernels that are not compiled at run time leave no trace") {
  Tally tally;
  tally.add("flash32", passed_with(""));
  CHECK_THAT(summary_table(tally, {}, 1), !Catch::Contains("compiled"));
  CHECK_FALSE(nlohmann::json::parse(json_of(tally, {}, 1)).contains("compiled_shapes"));
}
