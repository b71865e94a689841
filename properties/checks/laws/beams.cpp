// Beams that each keep to their own tokens are requests of their own. Within the bounds of both: the beams of a request
// may share tiles, requests do not.
#include "properties/checks/laws/law.hpp"
#include "properties/checks/laws/tokens.hpp"

namespace xqacheck::properties::laws {
namespace {

using reference::HostBuffer;
using reference::Problem;
using reference::TensorId;

Result check(Trial& trial) {
  const xqacheck_problem& d = trial.problem().description;
  if (d.beam_width == 1 || d.max_rows != 1 || d.k_new.dtype != XQACHECK_NONE) return not_here();
  if (d.page_tokens != 0 && d.table_stride_request != d.beam_width * d.table_stride_beam) return not_here();
  Problem own = trial.problem().clone(), apart = trial.problem().clone();
  for (std::uint32_t b = 0; b < d.requests; ++b) {
    own.tensor(TensorId::beam_context).as<std::uint32_t>()[b] = 0;
    for (std::uint32_t w = 0; w < d.beam_width; ++w)
      for (std::uint32_t t = 0; t < d.max_seq_len; ++t)
        own.tensor(TensorId::beam_index).as<std::int32_t>()[(std::size_t{b} * d.beam_width + w) * d.max_seq_len + t] =
            static_cast<std::int32_t>(w);
  }
  // Row b * W + w of q, table row b * W + w, contiguous cache b * W + w: request b * W + w has them all in its place.
  xqacheck_problem& to = apart.description;
  to.requests = d.requests * d.beam_width, to.beam_width = 1;
  to.table_stride_request = d.table_stride_beam;
  to.beam_index = {}, to.beam_context = {};
  apart.tensor(TensorId::beam_index) = HostBuffer(), apart.tensor(TensorId::beam_context) = HostBuffer();
  apart.tensor(TensorId::seq_lens) = HostBuffer(to.requests * sizeof(std::uint32_t));
  for (std::uint32_t r = 0; r < to.requests; ++r) set_length(apart, r, length_of(own, r / d.beam_width));
  Side was(trial, own, "beams that keep to their own tokens"), is(trial, apart, "as requests of their own");
  if (auto result = was.unusable()) return *result;
  if (auto result = is.unusable()) return *result;
  return within_reach(was, is, all_places(is.view()));
}

}  // namespace

const Law beams_law = {"beams as requests", check};

}  // namespace xqacheck::properties::laws
