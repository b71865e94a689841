// Verdict: what a property says about one case, with its evidence. Statuses are those of DESIGN 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/outcome.hpp"
#include "reference/case.hpp"

namespace xqacheck::properties {

enum class Status : std::uint8_t { passed, failed, mistrusted, unsupported, crashed, hung, known };
const char* name_of(Status status);  // "PASSED" …
std::optional<Status> status_named(std::string_view name);
bool is_failure(Status status);  // FAILED, CRASHED, HUNG: what makes a run exit with 1 and what is worth shrinking

// The first bad element, and where it sits.
struct BadElement {
  std::uint32_t request = 0, row = 0, head = 0, dim = 0;
  double got = 0, want = 0, bound = 0;
  double ulps = 0;         // |got - want| in units of the output grid at `want`
  std::int64_t page = -1;  // physical page of the token named by `token`, -1: not about a token
  std::int64_t token = -1, tile = -1, sub_sequence = -1;
};

struct Verdict {
  Status status = Status::passed;
  std::string property;  // "golden", "bits", "guard" …
  reference::Case subject;
  std::string kind;      // what went wrong, coarsely ("value", "nan", "lse", "signal 11" …): shrinking keeps it
  std::string run_line;  // case line + " @ " + how it was run: the repro string
  std::string message;   // one sentence for people: what is wrong or why nothing can be said
  std::uint64_t elements = 0, bad_elements = 0;
  double bound_used = 0;             // largest share of the bound used, output rounding left out
  std::vector<BadElement> evidence;  // the worst few, first bad one first
  std::vector<std::string> notes;    // suspects, heat maps and the like, one line each
  std::uint64_t out_hash = 0;        // xxh64 of the output bytes of the plain run (out, then LSE); 0 if it left none
  Route route;
  double seconds = 0;
};

}  // namespace xqacheck::properties
