// Suspect: one named fault of a decode-attention kernel that the filters look for in the error of an output.
#pragma once

#include <cstdint>
#include <string>

namespace xqacheck::reference::filters {

enum class Fault : std::uint8_t {
  softmax_scale,        // scores multiplied by 1 + amplitude: q scale, k scale, 1 / sqrt(D)
  output_scale,         // output multiplied by 1 + amplitude: v scale, output scale, row sum
  sink_ignored,         // the sink is missing in the denominator of `heads`
  token_missing,        // token of request not attended by rows that should
  token_doubled,        // token of request counted twice
  token_foreign,        // token of request attended by rows that should not (token == length: one past the end)
  length_short,         // the last token of every request missing
  length_long,          // one token past the end of every request attended
  window_narrow,        // the oldest token of every window missing
  window_wide,          // one token more than the window attended
  mask_full,            // every draft attends every draft
  mask_causal,          // draft i attends drafts 0..i whatever the mask says
  page_missing,         // page (block of a request) skipped
  page_value,           // V of a page is not the one that was used
  page_replaced,        // page read from `other` (physical page) instead: K and V
  page_value_replaced,  // V only
  page_key_replaced,    // K only
  heads_swapped,        // outputs of two query heads exchanged
  merge_unscaled,       // partial results of `other` sub-sequences merged without exp(partial max - max)
  output_zero,          // nothing was written, or zeros
  row_garbage,          // one (row, head) is wrong and nothing else
  noise,                // errors have the declared shape but are larger: a coarser rounding of P than declared
  edit,                 // the problem read in another way (reference/filters/readings.hpp)
};

// Which query heads a sink fault touches.
enum class Heads : std::uint8_t { all, even, odd, lower, upper, one };

struct Suspect {
  Fault fault = Fault::softmax_scale;
  Heads heads = Heads::all;
  std::int32_t request = -1;
  std::int64_t token = -1;  // token, or first token of a page
  std::int64_t tokens = 0;  // tokens of a page that exist; merge_unscaled: 1 if tiles go to the sub-sequences in turn
  std::int32_t page = -1;   // block of the request
  std::int64_t other = -1;  // physical page read instead, second head, number of sub-sequences
  std::int32_t head = -1, row = -1;
  std::string reading{};  // Fault::edit: its name

  bool operator==(const Suspect&) const = default;
};

// "softmax scale +1.0 %", "token 511 of request 2 missing". `amplitude` as Tally::amplitude.
std::string text_of(const Suspect& suspect, double amplitude);

// Suspects with a continuous strength (scales) are fitted, the others are there or not.
bool has_strength(Fault fault);

}  // namespace xqacheck::reference::filters
