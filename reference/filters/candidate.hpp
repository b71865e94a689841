// Candidates of `explain`: suspects with the change of the output that each would cause.
#pragma once

#include <vector>

#include "reference/filters/context.hpp"
#include "reference/filters/explain.hpp"
#include "reference/filters/screen.hpp"
#include "reference/filters/suspect.hpp"
#include "reference/filters/tally.hpp"

namespace xqacheck::reference::filters {

struct Candidate {
  Suspect suspect;
  std::vector<double> change;  // [R][q_heads][head_dim_v], at amplitude 1
};

// What the screen found, pages replaced by others, zeros, one bad row: cheap.
std::vector<Candidate> near_candidates(const Context& context, const Screen& screen, const FilterReport& report,
                                       const ExplainOptions& options);
// Merges without rescaling and other readings of the problem: a golden run each.
std::vector<Candidate> far_candidates(const Context& context, const xqacheck_numerics* numerics,
                                      const ExplainOptions& options);

Tally tally_of(const Context& context, const std::vector<double>& change, const std::vector<double>& error);

}  // namespace xqacheck::reference::filters
