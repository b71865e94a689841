// laws: metamorphic laws, each of them one file in properties/checks/laws. A case is judged by all that apply to it.
#include "properties/checks/laws/law.hpp"

#include <fmt/format.h>

#include "properties/edit_problem.hpp"

namespace xqacheck::properties {
namespace {

using laws::Law;
using laws::Result;

const Law* const kLaws[] = {&laws::heads_law,       &laws::v_power_law,    &laws::sink_token_law,
                            &laws::wide_window_law, &laws::draft_rows_law, &laws::masked_drafts_law,
                            &laws::beams_law,       &laws::splits_law,     &laws::token_order_law,
                            &laws::ones_law,        &laws::mean_law,       &laws::lse_base_law};

Verdict check(Trial& trial) {
  if (!is_judgeable(trial.plain_run())) return verdict_of_broken_run(trial.plain_run(), "");
  if (!is_editable(trial.problem())) return unsupported("the pool is too large to be copied");
  std::vector<std::string> held, vacuous;
  Verdict verdict = passed();
  for (const Law* law : kLaws) {
    Result result = law->check(trial);
    switch (result.state) {
      case Result::State::broken:
        result.verdict.message = fmt::format("law '{}': {}", law->name, result.verdict.message);
        // What crashed keeps its kind; what is wrong is of the law's.
        if (result.verdict.status == Status::failed) result.verdict.kind = law->name;
        return std::move(result.verdict);
      case Result::State::held:
        held.emplace_back(law->name);
        break;
      case Result::State::vacuous:
        vacuous.emplace_back(law->name);
        break;
      case Result::State::not_here:
        break;
    }
    verdict.elements += result.elements;
  }
  if (held.empty() && vacuous.empty()) return unsupported("no law applies to the case on this kernel");
  if (held.empty())
    return mistrusted(fmt::format("every law that applies ({}) allows more than the signal", fmt::join(vacuous, ", ")));
  verdict.notes.push_back(fmt::format("laws: {}", fmt::join(held, ", ")));
  if (!vacuous.empty()) verdict.notes.push_back(fmt::format("could not have failed: {}", fmt::join(vacuous, ", ")));
  return verdict;
}

}  // namespace

extern const Property laws_property;
const Property laws_property = {
    "laws",
    "metamorphic laws: equal heads, V doubled, sink as token, drafts as decodes, beams as requests, mean of V …",
    check};

}  // namespace xqacheck::properties
