#include "properties/diagnose.hpp"

#include <algorithm>
#include <exception>

#include "properties/decode.hpp"
#include "properties/output.hpp"
#include "reference/filters/explain.hpp"

namespace xqacheck::properties {
namespace {

namespace filters = reference::filters;

constexpr std::size_t kLines = 12;        // of an explanation: suspects and the head of the map
constexpr double kConvincing = 0.5;       // share of the error that the suspect takes away
constexpr std::uint32_t kUsualTile = 64;  // where the kernel declares no tile

std::int64_t physical_page(const xqacheck_problem& problem, std::uint32_t request, std::int64_t token) {
  if (problem.page_tokens == 0) return -1;
  const auto* table = static_cast<const std::int32_t*>(problem.page_table.data);
  return table[request * problem.table_stride_request + token / problem.page_tokens];
}

// The sub-sequence of a token when a request's tiles are dealt out in equal runs, as split plans do.
std::int64_t sub_sequence_of(std::int64_t token, std::uint32_t length, std::uint32_t tile, std::uint32_t splits) {
  if (splits < 2) return 0;
  const std::int64_t tiles = (length + tile - 1) / tile, each = (tiles + splits - 1) / splits;
  return token / tile / std::max<std::int64_t>(1, each);
}

void place_evidence(Verdict& verdict, const xqacheck_problem& problem, const xqacheck_numerics& numerics,
                    const filters::Suspect& suspect, std::uint32_t splits) {
  const auto* lengths = static_cast<const std::uint32_t*>(problem.seq_lens.data);
  const std::uint32_t tile = numerics.tile_tokens ? numerics.tile_tokens : kUsualTile;
  for (BadElement& bad : verdict.evidence) {
    if (suspect.request >= 0 && bad.request != static_cast<std::uint32_t>(suspect.request)) continue;
    std::int64_t token = suspect.token;
    if (suspect.fault == filters::Fault::length_short) token = static_cast<std::int64_t>(lengths[bad.request]) - 1;
    if (token < 0 || token >= lengths[bad.request]) continue;
    bad.token = token, bad.tile = token / tile, bad.page = physical_page(problem, bad.request, token);
    bad.sub_sequence = sub_sequence_of(token, lengths[bad.request], tile, splits);
  }
}

}  // namespace

void add_diagnosis(Verdict& verdict, Trial& trial) {
  const bool numeric = verdict.kind == "value" || verdict.kind == "statistics" || verdict.kind == "mean square" ||
                       verdict.kind == "suspect";
  if (verdict.property != "golden" || verdict.status != Status::failed || !numeric || !is_judgeable(trial.plain_run()))
    return;
  try {
    const xqacheck_problem problem = trial.view();
    const xqacheck_numerics& numerics = trial.kernel().numerics;
    const std::vector<double> got = decoded_output(problem, trial.plain_run());
    filters::Context context(problem, trial.golden(), &numerics, got, trial.plain_run().route.splits);
    filters::Screen screen = filters::run_screen(context, trial.options().threads);
    const filters::FilterReport report = filters::judge(context, screen, {.threads = trial.options().threads});
    filters::ExplainOptions options;
    options.splits = trial.plain_run().route.splits, options.threads = trial.options().threads;
    const filters::Explanation found = filters::explain(context, screen, report, &numerics, options);
    const std::vector<std::string> lines = filters::lines_of(found);
    verdict.notes.insert(verdict.notes.end(), lines.begin(),
                         lines.begin() + static_cast<std::ptrdiff_t>(std::min(kLines, lines.size())));
    if (!found.ranked.empty() && found.ranked.front().share > kConvincing)
      place_evidence(verdict, problem, numerics, found.ranked.front().suspect, options.splits);
  } catch (const std::exception& error) {
    verdict.notes.push_back(std::string("no diagnosis: ") + error.what());
  }
}

}  // namespace xqacheck::properties
