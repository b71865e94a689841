// Tokens by physical page, for suspects that read a wrong page.
#pragma once

#include <cstdint>

#include "reference/filters/context.hpp"

namespace xqacheck::reference::filters {

// K and V of the slot of `token` in physical page `page`, as a block of one. Dead when the page does not exist or does
// not hold numbers. The page holds V at the same index as K, as every page of a pool does.
Block read_physical(const Context& context, const Group& group, std::int64_t page, std::int64_t token);

// Number of physical pages of K and V that can be read instead of the right one; contiguous caches: the requests' own.
std::int64_t physical_pages(const xqacheck_problem& problem);

// Physical page of a block of a sequence, of V (`value`) or K; -1 when the table cannot be read.
std::int64_t page_of(const Context& context, const Sequence& sequence, std::int32_t block, bool value);

}  // namespace xqacheck::reference::filters
