// Token edits: what a suspect does to the tokens of a row, and the exact change of the output that follows from it.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/filters/context.hpp"
#include "reference/filters/suspect.hpp"

namespace xqacheck::reference::filters {

// Adds (sign +1) or takes away (-1) a token with the logit of one place and the value of another.
struct Edit {
  double sign = 1;
  std::int64_t key = 0, value = 0;              // tokens of the sequence
  std::int64_t key_page = -1, value_page = -1;  // >= 0: the slot of the token in this physical page instead
};

// What the suspect does to draft row `draft` of the sequence; empty when it leaves the row alone or is no matter of
// tokens.
std::vector<Edit> edits_of(const Context& context, const Suspect& suspect, const Sequence& sequence,
                           std::uint32_t draft);

// Change of the output of every line of the group under the suspect: [lines][head_dim_v]. Scales: at amplitude 1.
// `softmax_sensitivity` is that of the screen.
Matrix change_of(const Context& context, const Suspect& suspect, const Group& group,
                 const std::vector<double>& softmax_sensitivity);

// The same for the whole run, [R][q_heads][head_dim_v].
std::vector<double> change_of_run(const Context& context, const Suspect& suspect,
                                  const std::vector<double>& softmax_sensitivity);

bool touches(const Suspect& suspect, std::uint32_t head, std::uint32_t q_heads);  // Fault::sink_ignored

}  // namespace xqacheck::reference::filters
