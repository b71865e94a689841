// A sink of logit 0 weighs as one more token with K = 0 and V = 0. Within the bounds of both: the token is summed in a
// tile, the sink at the end.
#include "properties/checks/laws/law.hpp"
#include "properties/checks/laws/tokens.hpp"

namespace xqacheck::properties::laws {
namespace {

using reference::HostBuffer;
using reference::Problem;
using reference::TensorId;

Result check(Trial& trial) {
  const xqacheck_problem& d = trial.problem().description;
  // The last token becomes the sink: it must be visible to its one row, and its place must be nobody else's.
  if (d.mask_kind != XQACHECK_MASK_NONE || d.max_rows != 1 || d.ragged != 0 || d.window != 0 || d.beam_width != 1 ||
      d.k_new.dtype != XQACHECK_NONE || d.kv_aliased != 0)
    return not_here();
  const TokenRows rows(trial.problem());
  if (!rows.all_apart()) return not_here();
  Problem token = trial.problem().clone(), sink = trial.problem().clone();
  drop_sinks(token);
  sink.description.sinks.dtype = XQACHECK_FP32;
  sink.tensor(TensorId::sinks) = HostBuffer(d.q_heads * sizeof(float));  // zeros
  for (std::uint32_t b = 0; b < d.requests; ++b) {
    const std::uint32_t length = length_of(token, b);
    if (length < 2) return not_here();  // one token beside the sink, or the row is empty
    clear_k(token, rows, b, length - 1), clear_v(token, rows, b, length - 1);
    set_length(sink, b, length - 1);
  }
  Side was(trial, token, "a last token of zeros"), is(trial, sink, "with a sink of 0 in place of that token");
  if (auto result = was.unusable()) return *result;
  if (auto result = is.unusable()) return *result;
  return within_reach(was, is, all_places(is.view()));
}

}  // namespace

const Law sink_token_law = {"sink as token", check};

}  // namespace xqacheck::properties::laws
