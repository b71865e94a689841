// CaseError: what is wrong with a case line, a run line or a case, in terms of its fields.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace xqacheck::reference {

struct CaseError : std::runtime_error {
  // what() reads "field=value: allowed (did you mean 'nearest'?)"; `value` and `nearest` may be empty.
  CaseError(std::string field, std::string value, std::string allowed, std::string nearest = {});

  std::string field;    // the key as it is written in a line; "line" for the line as a whole
  std::string value;    // what was found, shortened and made printable
  std::string allowed;  // what is allowed instead
  std::string nearest;  // closest valid key or name, if one is close
};

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate closest to `word`, or "" where none is within a third of the word's length (at least 1, at most 3
// edits).
std::string nearest_of(std::string_view word, const std::vector<std::string_view>& candidates);

// At most 60 characters, everything outside printable ASCII as \xNN: safe to put in a message.
std::string printable(std::string_view text);

}  // namespace xqacheck::reference
