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

// The error of a whole output. Root mean squares over the judged elements, but for `largest`.
struct ErrorFigures {
  double rms = 0;      // of the error
  double sigma = 0;    // of the standard deviation of a correct kernel's error, its bias and output rounding included
  double limit = 0;    // of the largest error that is allowed, output rounding included
  double signal = 0;   // of the golden output; 0: nothing was judged, or the output is zero
  double largest = 0;  // |error| of an element
};

// Largest error / allowed error by two places, e.g. heads (rows of the map) and channels (its columns). Row-major.
struct ErrorMap {
  static constexpr double kNothing = -1;          // a cell in which nothing was judged
  std::string rows, columns;                      // what they are: "head", "dim", "request", "row"
  std::uint32_t row_count = 0, column_count = 0;  // places
  std::uint32_t cell_rows = 0, cell_columns = 0;  // place * cell_rows / row_count is its cell
  std::vector<double> cells;
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
  ErrorFigures error;                // of golden and laws that judge by its bound
  std::vector<ErrorMap> maps;        // of the same, where they fail
  Route route;
  double seconds = 0;
};

}  // namespace xqacheck::properties
