// Bytes that a call must move, counted by hand.
#include "properties/perf/traffic.hpp"

#include "reference/case_line.hpp"
#include "tests/catch.hpp"

using namespace xqacheck;
using properties::perf::traffic_of;

namespace {

std::uint64_t kv_bytes(const char* line) {
  return traffic_of(reference::make_problem(reference::parse_case(line))).kv_bytes;
}

}  // namespace

TEST_CASE("K and V count once for every token, in their own format", "[perf]") {
  CHECK(kv_bytes("xqa/1 heads=8/2 dim=64 len=100,3") == 103u * 2 * 64 * 2 * 2);
  CHECK(kv_bytes("xqa/1 heads=8/2 dim=64 len=100,3 kv=e4m3") == 103u * 2 * 64 * 2);
  CHECK(kv_bytes("xqa/1 heads=8/2 dim=64 len=100,3 page=0") == 103u * 2 * 64 * 2 * 2);
  CHECK(kv_bytes("xqa/1 heads=8/2 dim=64 len=100 layout=pool") == 100u * 2 * 64 * 2 * 2);
  CHECK(kv_bytes("xqa/1 len=0") == 0);
}

TEST_CASE("a window hides what lies before it", "[perf]") {
  CHECK(kv_bytes("xqa/1 heads=1/1 dim=16 len=100 window=30") == 30u * 16 * 2 * 2);
  CHECK(kv_bytes("xqa/1 heads=1/1 dim=16 len=100 window=200") == 100u * 16 * 2 * 2);
  // Three drafts: the first sees tokens 100 - 3 + 1 - 30 = 68 on, the last up to 99.
  CHECK(kv_bytes("xqa/1 heads=1/1 dim=16 len=100 window=30 draft=3") == 32u * 16 * 2 * 2);
}

TEST_CASE("MLA stores V inside K, and shared pages are stored once", "[perf]") {
  CHECK(kv_bytes("xqa/1 heads=16/1 dim=576/512 len=10") == 10u * 576 * 2);
  const std::uint64_t shared = kv_bytes("xqa/1 heads=1/1 dim=16 len=64,64 page=16 table=prefix");
  const std::uint64_t apart = kv_bytes("xqa/1 heads=1/1 dim=16 len=64,64 page=16");
  CHECK(apart == 128u * 16 * 2 * 2);
  CHECK(shared < apart);
  CHECK(shared >= apart / 2);
}

TEST_CASE("the rest: q, output, LSE, table entries in use, lengths, sinks", "[perf]") {
  const auto other = traffic_of(reference::make_problem(
                                    reference::parse_case("xqa/1 heads=4/2 dim=32 len=33,1 page=16 lse=1 sinks=log")))
                         .other_bytes;
  const std::uint64_t q = 2 * 4 * 32 * 2, out = q, lse = 2 * 4 * 4, lengths = 2 * 4, sinks = 4 * 4;
  const std::uint64_t entries = 3 + 1;  // pages of 33 tokens and of 1; K and V share the table
  CHECK(other == q + out + lse + lengths + sinks + entries * 4);
}
