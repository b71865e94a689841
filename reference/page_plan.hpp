// PagePlan: which page of the pool holds which block of which request. A pure function of (case shape, table kind,
// geo).
#pragma once

#include <cstdint>
#include <vector>

#include "reference/case.hpp"
#include "reference/shape.hpp"

namespace xqacheck::reference {

// A page in use and the block whose data it holds. Where several blocks share the page, that is the one with the most
// tokens in it (the first of them): what lies past the end of a shorter request is then live data of the owner.
struct UsedPage {
  std::uint64_t k_page = 0, v_page = 0;  // equal unless K and V share one pool
  std::uint32_t request = 0, beam = 0;
  std::uint32_t first_token = 0;
  std::uint32_t tokens = 0;  // of the owner in this page, at most page_tokens; 0 for an empty contiguous request
};

struct PagePlan {
  std::uint64_t pages_in_pool = 0;  // for contiguous: requests * beams, one "page" each
  std::vector<UsedPage> used;
  std::vector<std::uint64_t> unused;  // pages that no table entry may be followed to; a far pool lists only its spares
  std::vector<std::int32_t> table;    // with the strides of Shape, padding included; empty for contiguous
};

PagePlan plan_pages(const Case& c, const Shape& shape);

}  // namespace xqacheck::reference
