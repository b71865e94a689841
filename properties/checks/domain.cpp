#include "properties/checks/domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "properties/output.hpp"

namespace xqacheck::properties {
namespace {

bool is_zero_length(const xqacheck_problem& problem, std::uint32_t row) {
  return static_cast<const std::uint32_t*>(problem.seq_lens.data)[place_of_row(problem, row).request] == 0;
}

std::uint32_t policy_of(const xqacheck_problem& problem, std::uint32_t row, const xqacheck_domain& domain) {
  return is_zero_length(problem, row) ? domain.zero_length : domain.fully_masked;
}

}  // namespace

std::string outside_domain(const xqacheck_problem& problem, const reference::Golden& golden,
                           const xqacheck_domain& domain) {
  for (std::uint32_t row = 0; row < golden.rows; ++row) {
    for (std::uint32_t head = 0; head < golden.heads; ++head) {
      const std::size_t i = std::size_t{row} * golden.heads + head;
      if (golden.empty[i] && policy_of(problem, row, domain) == XQACHECK_EMPTY_UNSUPPORTED)
        return fmt::format("row {} head {} sees no token, which the kernel declares to be outside of its domain ({})",
                           row, head, is_zero_length(problem, row) ? "zero_length" : "fully_masked");
      if (golden.special[i] && domain.nan_policy != 0)
        return fmt::format(
            "row {} head {} sees NaN or Inf, which the kernel declares to be outside of its domain (nan_policy)", row,
            head);
    }
  }
  return "";
}

reference::Golden in_domain(const xqacheck_problem& problem, reference::Golden golden, const xqacheck_domain& domain) {
  if (domain.zero_length != XQACHECK_EMPTY_NAN && domain.fully_masked != XQACHECK_EMPTY_NAN) return golden;
  for (std::size_t i = 0; i < golden.empty.size(); ++i) {
    const auto row = static_cast<std::uint32_t>(i / golden.heads);
    if (!golden.empty[i] || policy_of(problem, row, domain) != XQACHECK_EMPTY_NAN) continue;
    golden.special[i] = 1;
    std::fill_n(golden.out.begin() + static_cast<std::ptrdiff_t>(i * golden.dim_v), golden.dim_v,
                std::numeric_limits<double>::quiet_NaN());
  }
  return golden;
}

}  // namespace xqacheck::properties
