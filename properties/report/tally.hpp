// Tally: counts over the verdicts of a run, by kernel and property, with the reasons of what did not run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "properties/verdict.hpp"

namespace xqacheck::properties {

struct Counts {
  std::array<std::uint64_t, 7> by_status{};
  std::uint64_t of(Status status) const { return by_status[static_cast<std::size_t>(status)]; }
  std::uint64_t verdicts() const;
  std::uint64_t executed() const { return verdicts() - of(Status::unsupported); }
  std::uint64_t failures() const { return of(Status::failed) + of(Status::crashed) + of(Status::hung); }
  double largest_bound_used = 0;  // over verdicts that passed
  double seconds = 0;
};

class Tally {
 public:
  void add(const std::string& kernel, const Verdict& verdict);
  // A case was asked for, and gave at least one verdict other than UNSUPPORTED or not. Cases count once a kernel.
  void add_case(bool executed);
  void add_known_failure_that_passes() { ++known_passing_; }

  const Counts& total() const { return total_; }
  std::uint64_t cases_asked() const { return asked_; }
  std::uint64_t cases_executed() const { return executed_; }
  std::uint64_t known_failures_that_pass() const { return known_passing_; }

  using Key = std::pair<std::string, std::string>;  // kernel, property
  const std::map<Key, Counts>& rows() const { return rows_; }
  // Reason -> count, for UNSUPPORTED and for MISTRUSTED verdicts. Numbers in a reason are folded ("head_dim 80" and
  // "head_dim 96" count as one), the first text seen is kept as the example.
  struct Reason {
    std::uint64_t count = 0;
    std::string example;
  };
  // Kernel -> how many different pieces of machine code its runs were compiled to; kernels that are not compiled at run
  // time are absent.
  std::map<std::string, std::size_t> compiled_shapes() const;
  const std::map<std::string, Reason>& unsupported() const { return unsupported_; }
  const std::map<std::string, Reason>& mistrusted() const { return mistrusted_; }

 private:
  std::map<Key, Counts> rows_;
  Counts total_;
  std::map<std::string, Reason> unsupported_, mistrusted_;
  std::map<std::string, std::set<std::string>> compiled_;
  std::uint64_t asked_ = 0, executed_ = 0, known_passing_ = 0;
};

}  // namespace xqacheck::properties
