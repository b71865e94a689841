// Verdict: what a property says about one case, with its evidence. Statuses are those of DESIGN 2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "properties/outcome.hpp"
#include "reference/case.hpp"

namespace xqacheck::properties {

enum class Status : std::uint8_t { passed, failed, mistrusted, unsupported, crashed, hung, known };
const char* name_of(Status status);  // "PASSED" …

// The first bad element, and where it sits.
struct BadElement {
  std::uint32_t request = 0, row = 0, head = 0, dim = 0;
  double got = 0, want = 0, bound = 0;
  double ulps = 0;                 // |got - want| in units of the output grid at `want`
  std::int64_t page = -1;          // physical page of the token named by `token`, -1: not about a token
  std::int64_t token = -1, tile = -1, sub_sequence = -1;
};

struct Verdict {
  Status status = Status::passed;
  std::string property;            // "golden", "bits", "guard" …
  reference::Case subject;
  std::string run_line;            // case line + " @ " + how it was run: the repro string
  std::string message;             // one sentence for people: what is wrong or why nothing can be said
  std::uint64_t elements = 0, bad_elements = 0;
  double bound_used = 0;           // largest share of the bound used, output rounding left out
  std::vector<BadElement> evidence;  // the worst few, first bad one first
  std::vector<std::string> notes;  // suspects, heat maps and the like, one line each
  Route route;
  double seconds = 0;
};

}  // namespace xqacheck::properties
