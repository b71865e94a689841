// Every class of known faults that a host kernel can have: planted, it fails each property that doc/known-faults.md
// maps it to within 200 random cases, and the same kernel without the fault passes them.
#include <cstdio>
#include <set>

#include "tests/catch.hpp"
#include "tests/faults/hunt.hpp"

using namespace xqacheck::tests;
using xqacheck::properties::name_of;

namespace {

// One row of the table of doc/known-faults.md, in its format.
void print_row(const FaultFile& fault, const std::string& property, const Hunt& hunt) {
  std::printf("| %s | %s | %s | %s | %s |\n", fault.fault_class.c_str(), fault.name.c_str(), property.c_str(),
              hunt.found ? std::to_string(hunt.cases).c_str() : "not found",
              hunt.found ? (std::string(name_of(hunt.verdict.status)) + ", " + hunt.verdict.kind).c_str() : "-");
  std::fflush(stdout);
}

}  // namespace

TEST_CASE("each planted fault fails its properties within 200 cases, and its correct twin passes") {
  for (const FaultFile& fault : all_faults()) DYNAMIC_SECTION(fault.name) {  // one alone: test_faults -c <name>
      for (const std::string& property : fault.killed_by) {
        const Hunt hunted = hunt(fault, property);
        print_row(fault, property, hunted);
        INFO(fault.name << " (" << fault.fault << "), property " << property);
        CHECK(hunted.property_exists);
        CHECK(hunted.found);
        INFO(hunted.false_alarm);
        CHECK(hunted.false_alarm.empty());
      }
    }
}

TEST_CASE("an output of zeros never passes where something else is due") {
  for (std::uint32_t index = 0; index < kMostCases; ++index) {
    const auto [zeros, right] = judge_two("writes_zeros", "right", "golden", index);
    INFO(zeros.run_line);
    if (zeros.status == xqacheck::properties::Status::passed) CHECK(zeros.out_hash == right.out_hash);
  }
}
