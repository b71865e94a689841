// LSE in base 2 is LSE in base e over ln 2, within both bounds; the output keeps its bits.
#include <fmt/format.h>

#include <cmath>

#include "properties/checks/laws/law.hpp"
#include "properties/output.hpp"

namespace xqacheck::properties::laws {
namespace {

Result check(Trial& trial) {
  if (trial.problem().description.lse.dtype == XQACHECK_NONE) return not_here();
  reference::Problem changed = trial.problem().clone();
  changed.description.lse_base = 2;
  Side was(trial, trial.problem(), "the plain run"), is(trial, changed, "with LSE in base 2");
  if (auto result = was.unusable()) return *result;
  if (auto result = is.unusable()) return *result;
  Result result = same_bits(was, is, all_places(is.view()));
  if (trial.kernel().deterministic == 0 && result.state == Result::State::broken)
    result = within_reach(was, is, all_places(is.view()));
  if (result.state == Result::State::broken) return result;
  const double ln2 = std::log(2.0);
  result.state = Result::State::vacuous;
  for (std::size_t i = 0; i < was.golden().lse.size(); ++i) {
    const double natural = decode(XQACHECK_FP32, was.outcome().lse.data() + i * sizeof(float));
    const double binary = decode(XQACHECK_FP32, is.outcome().lse.data() + i * sizeof(float));
    const double bound = was.golden().lse_worst[i];
    if (!std::isfinite(natural) || !std::isfinite(bound)) continue;
    // Both are rounded to fp32, and the change of base is one more rounding.
    const double allowed = 2 * bound + 0x1p-22 * std::abs(natural);
    if (std::abs(natural) * (1 / ln2 - 1) > 2 * allowed) result.state = Result::State::held;
    if (std::abs(binary * ln2 - natural) <= allowed) continue;
    result.state = Result::State::broken;
    result.verdict =
        failed("", fmt::format("LSE in base 2 is {:g}, in base e {:g}: their ratio is not 1 / ln 2", binary, natural));
    return result;
  }
  return result;
}

}  // namespace

const Law lse_base_law = {"LSE base", check};

}  // namespace xqacheck::properties::laws
