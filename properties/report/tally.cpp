#include "properties/report/tally.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace xqacheck::properties {
namespace {

// "head_dim 80: multiples of 64 only" -> "head_dim #: multiples of # only"
std::string without_numbers(const std::string& text) {
  std::string folded;
  for (const char c : text) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit)
      folded += c;
    else if (folded.empty() || folded.back() != '#')
      folded += '#';
  }
  return folded;
}

void count(Counts& counts, const Verdict& verdict) {
  ++counts.by_status[static_cast<std::size_t>(verdict.status)];
  counts.seconds += verdict.seconds;
  if (verdict.status == Status::passed)
    counts.largest_bound_used = std::max(counts.largest_bound_used, verdict.bound_used);
}

}  // namespace

std::uint64_t Counts::verdicts() const {
  return std::accumulate(by_status.begin(), by_status.end(), std::uint64_t{0});
}

void Tally::add(const std::string& kernel, const Verdict& verdict) {
  count(rows_[{kernel, verdict.property}], verdict);
  count(total_, verdict);
  if (!verdict.route.compiled.empty()) compiled_[kernel].insert(verdict.route.compiled);
  if (verdict.status != Status::unsupported && verdict.status != Status::mistrusted) return;
  auto& reasons = verdict.status == Status::unsupported ? unsupported_ : mistrusted_;
  Reason& reason = reasons[verdict.property + ": " + without_numbers(verdict.message)];
  if (reason.count++ == 0) reason.example = verdict.property + ": " + verdict.message;
}

std::map<std::string, std::size_t> Tally::compiled_shapes() const {
  std::map<std::string, std::size_t> counts;
  for (const auto& [kernel, keys] : compiled_) counts[kernel] = keys.size();
  return counts;
}

void Tally::add_case(bool executed) {
  ++asked_;
  executed_ += executed ? 1 : 0;
}

}  // namespace xqacheck::properties
