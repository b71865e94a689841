// Changed copies of a problem, for laws that compare two runs.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/runner.hpp"
#include "reference/problem.hpp"

namespace xqacheck::properties {

// Pools larger than this are not copied or searched: such cases check far addresses, other cases check the rest.
inline constexpr std::size_t kLargestEditedPool = std::size_t{256} << 20;
bool is_editable(const reference::Problem& problem);

// The requests `chosen` in that order (subset, permutation, repetition); the pools stay as they are.
reference::Problem select_requests(const reference::Problem& problem, const std::vector<std::uint32_t>& chosen);

// Physical pages permuted together with the table: page p becomes page new_page[p]. Paged problems only.
reference::Problem relabel_pages(const reference::Problem& problem, const std::vector<std::uint32_t>& new_page);

// What may be overwritten without changing any answer.
struct Unused {
  bool pages = false;    // pages that no request owns a token of
  bool tails = false;    // tokens past the end of a request in its last page, or in its contiguous cache
  bool gaps = false;     // elements between pages, tokens, heads of the pools, and of q
  bool entries = false;  // page table entries past the end of a request, and between rows of the table; beam indices of
                         // tokens past the end and of shared tokens
};

// Overwrites the chosen bytes with `fill`. Returns the number of elements and entries overwritten.
std::uint64_t poison(reference::Problem& problem, const Unused& what, Fill fill, std::uint64_t seed);

}  // namespace xqacheck::properties
