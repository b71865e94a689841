// Quartiles, the table and the JSON document.
#include <nlohmann/json.hpp>

#include "properties/perf/perf_report.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::properties::perf;
using Catch::Matchers::Contains;

namespace {

// 8e6 bytes in 10 us are 800 GB/s, half of a copy at 1600 GB/s.
PerfReport sample() {
  PerfReport report;
  report.command = {"xqacheck", "perf"};
  report.device = "fake (sm_90a, 4 SMs, driver unknown, CUDA 0.0)", report.toolkit = "nvrtc 13.0";
  report.sources = {"built-in", "./new.so", "./old.so", "./none.so"};
  report.copy = {800'000'000, {999, 1000, 1000, 1001, 1100, 31}};
  CaseTiming timing;
  timing.case_line = "xqa/1 len=4096";
  timing.traffic = {7'000'000, 1'000'000};
  timing.copies = {30, 240'000'000, true};
  timing.kernels = {{"a", "1", "", 4, "key", 30, {9, 9.9, 10, 10.1, 40, 31}},
                    {"b", "2", "", 8, "", 30, {7, 7.9, 8, 8.1, 9, 31}},
                    {"c", "2", "", 8, "", 30, {9, 10, 10.2, 11, 12, 31}},
                    {"d", "2", "dim: no", 0, "", 0, {}}};
  report.cases = {timing};
  return report;
}

}  // namespace

TEST_CASE("quartiles interpolate between order statistics", "[perf]") {
  const Quartiles q = quartiles_of({4, 1, 3, 2});
  CHECK(q.least == 1);
  CHECK(q.first == 1.75);
  CHECK(q.median == 2.5);
  CHECK(q.third == 3.25);
  CHECK(q.most == 4);
  CHECK(quartiles_of({5}).first == 5);
  CHECK(quartiles_of({}).count == 0);
  CHECK(boxes_overlap({0, 1, 2, 3, 4, 5}, {0, 3, 4, 5, 6, 5}));
  CHECK_FALSE(boxes_overlap({0, 1, 2, 3, 4, 5}, {0, 3.5, 4, 5, 6, 5}));
}

TEST_CASE("the table says bandwidth, its share of the copy, and who is faster only where boxes do not overlap", "[perf]") {
  const std::string table = table_of(sample());
  CHECK_THAT(table, Contains("device fake (sm_90a, 4 SMs, driver unknown, CUDA 0.0), nvrtc 13.0"));
  CHECK_THAT(table, Contains("1600 GB/s read and written"));
  CHECK_THAT(table, Contains("a           4      10.00       9.90      10.10      800    50.0 %\n"));
  CHECK_THAT(table, Contains("1.25x faster"));
  CHECK_THAT(table, Contains("as fast"));
  CHECK_THAT(table, Contains("d       not timed: dim: no"));
  CHECK_THAT(table, !Contains("WITHIN"));
  PerfReport cached = sample();
  cached.cases[0].copies.beyond_cache = false;
  CHECK_THAT(table_of(cached), Contains("WITHIN the level 2 cache"));
}

TEST_CASE("the JSON document has every figure with its origin", "[perf]") {
  const auto json = nlohmann::json::parse(json_of(sample()));
  CHECK(json.at("format") == "xqacheck-perf/1");
  CHECK(json.at("copy").at("bytes_per_second") == Approx(1.6e12));
  const auto& kernels = json.at("cases").at(0).at("kernels");
  CHECK(kernels.at(0).at("share_of_copy").get<double>() == Approx(0.5));
  CHECK(kernels.at(0).at("microseconds").at("median") == 10);
  CHECK(kernels.at(0).at("source") == "built-in");
  CHECK(kernels.at(1).at("against_first") == "1.25x faster");
  CHECK(kernels.at(3).at("refused") == "dim: no");
  CHECK_FALSE(kernels.at(3).contains("microseconds"));
  CHECK(json.at("cases").at(0).at("beyond_cache") == true);
}
