// Names what a wrong row counted: the token, page, tile, mask bit, head or sink whose presence or absence explains
// every channel of every coded run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "properties/checks/certificate/expected.hpp"
#include "properties/verdict.hpp"

namespace xqacheck::properties::certificate {

// One row of one query head, over all coded runs. Channel d of run r is entry r * head_dim_v + d.
struct Measured {
  std::uint32_t row = 0;  // within its sequence
  std::uint32_t head = 0, kv_head = 0, runs = 0;
  double sign = 0;              // output for a sum of 1, times the denominator
  double tokens = 0, sink = 0;  // denominator: visible tokens plus exp(sink)
  std::vector<double> sums;     // output * denominator / sign
  std::vector<Sum> expected;
};

struct Named {
  std::string what;  // "token 70000 of request 0 is missing …"; "" if nothing explains the row
  BadElement place;  // token and page, where there is one
};

// `sinks`: exp(sink) of every query head, empty without sinks.
Named name_fault(const xqacheck_problem& problem, const reference::Sight& sight, const reference::Sequence& sequence,
                 const SlotRow& slots, const RowSums& row_sums, const Code& code, const Roundings& roundings,
                 const std::vector<double>& sinks, std::uint32_t splits, const Measured& measured);

}  // namespace xqacheck::properties::certificate
