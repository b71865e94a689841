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

std::vector<Candidate> collect_candidates(const Context& context, const Screen& screen, const FilterReport& report,
                                          const xqacheck_numerics* numerics, const ExplainOptions& options);

Tally tally_of(const Context& context, const std::vector<double>& change, const std::vector<double>& error);

}  // namespace xqacheck::reference::filters
