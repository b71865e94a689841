// Laws: what changes of a problem leave an answer as it is, or change it in a known way. Each is one file of this
// folder and one line in laws.cpp; doc/properties.md says which hold bit for bit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "properties/property.hpp"
#include "reference/golden.hpp"

namespace xqacheck::properties::laws {

struct Result {
  enum class State : std::uint8_t {
    not_here,  // the case has nothing that the law is about, or the kernel refuses the changed problem
    vacuous,   // held, but could not have failed: every allowance is larger than the signal
    held,
    broken
  } state = State::not_here;
  Verdict verdict;  // broken: the failure
  std::uint64_t elements = 0;
};

struct Law {
  const char* name;
  Result (*check)(Trial& trial);
};

extern const Law heads_law, v_power_law, sink_token_law, wide_window_law, draft_rows_law, masked_drafts_law, beams_law,
    splits_law, token_order_law, ones_law, mean_law, lse_base_law;

// -- what laws are made of --

Result not_here();

// A problem that was run: its golden result (made when first asked for) and what the kernel gave.
class Side {
 public:
  // Runs the problem. `what` names it in messages: "with a window of 80 tokens".
  Side(Trial& trial, const reference::Problem& problem, std::string what, const RunOptions& options);
  Side(Trial& trial, const reference::Problem& problem, std::string what);

  // Why nothing can be compared: not_here for refusals and problems outside of the domain, broken for the rest.
  std::optional<Result> unusable();

  const reference::Golden& golden();
  const xqacheck_problem& view() const { return view_; }
  const Outcome& outcome() const { return outcome_; }
  const std::string& what() const { return what_; }
  Trial& trial() { return trial_; }

  double value(std::uint32_t row, std::uint32_t head, std::uint32_t dim) const;
  double reach(std::uint32_t row, std::uint32_t head, std::uint32_t dim);  // properties/checks/reach.hpp

 private:
  Trial& trial_;
  xqacheck_problem view_;
  std::string what_;
  Outcome outcome_;
  std::optional<reference::Golden> golden_;
};

struct Place {
  std::uint32_t row, head;
};

// Every element of the places of `is` equals `factor` times that of the places of `was`, bit for bit or within the
// reach of both. `places` calls its argument with each pair of places.
using Pairs = std::function<void(const std::function<void(Place was, Place is)>&)>;
Result same_bits(Side& was, Side& is, const Pairs& pairs);
Result within_reach(Side& was, Side& is, const Pairs& pairs, double factor = 1);

// All rows and heads of two problems of the same shape.
Pairs all_places(const xqacheck_problem& problem);

// Every element of every row that sees a token lies within its reach of want(row, head, dim).
Result is_near(Side& side, const std::function<double(std::uint32_t row, std::uint32_t head, std::uint32_t dim)>& want);

}  // namespace xqacheck::properties::laws
