// A coded run: the problem with every score zero, so that all visible tokens weigh the same, and V a code of the slot.
#pragma once

#include "properties/checks/certificate/code.hpp"
#include "reference/problem.hpp"

namespace xqacheck::properties::certificate {

struct CodedRun {
  reference::Problem problem;
  double sign = 0;  // value that a sign of +1 adds to the numerator: what is stored times v_scale and rcp_out_scale
};

// `run` numbers the coded runs: even ones set q to zero and K to signs, odd ones K to zero and q to signs (never where
// K and V share their storage). Sinks, where the case has them, become exp(sink) = most * 2^(head % 7 - 1); `most`: the
// most tokens that a row sees. Lengths, tables, masks, windows and strides stay as they are.
CodedRun coded_run(const reference::Problem& problem, const Code& code, std::uint32_t run, std::uint32_t most);

// exp(sink) that the coded run gives a query head.
double sink_weight(float sink);

}  // namespace xqacheck::properties::certificate
