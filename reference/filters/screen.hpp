// The screen: one pass over K and V that tallies every cheap suspect at once. Variances are those of independent
// elements; what stands out here is judged again with the full model (reference/filters/variance.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "reference/filters/context.hpp"
#include "reference/filters/suspect.hpp"
#include "reference/filters/tally.hpp"

namespace xqacheck::reference::filters {

// Tallies of one sequence. Index of a token or page counts from `first`.
struct SequenceTallies {
  std::int64_t first = 0;               // first token looked at, a multiple of the page
  std::vector<Tally> missing, foreign;  // a token: not seen by the rows that should, seen by those that should not
  std::vector<Tally> page_missing, page_value;
};

struct Screen {
  Tally softmax_scale, output_scale, window_narrow, window_wide, length_short, length_long, mask_full, mask_causal;
  std::vector<Tally> sinks;  // a query head
  std::vector<SequenceTallies> sequences;
  std::vector<Suspect> swap_suspects;
  std::vector<Tally> swaps;  // a pair of swap_suspects
  // d out / d log(softmax scale): sum p s (v - o), [R][q_heads][head_dim_v].
  std::vector<double> softmax_sensitivity;
  // Suspects that could have been seen: the families of the false-alarm rate.
  std::uint64_t scales = 0, whole_run = 0, places = 0;
};

struct Scored {
  Suspect suspect;
  Tally tally;
};

Screen run_screen(const Context& context, int threads);

// Every suspect of the screen with its tally. `least` leaves out those below so many standard deviations.
std::vector<Scored> list_suspects(const Context& context, const Screen& screen, double least);

}  // namespace xqacheck::reference::filters
