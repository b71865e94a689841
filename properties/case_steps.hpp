// Changes to a case that touch several fields at once and keep them consistent.
#pragma once

#include <cstdint>

#include "reference/case.hpp"

namespace xqacheck::properties {

bool is_consistent(const reference::Case& c);  // make_problem would accept it

void keep_requests(reference::Case& c, std::size_t first, std::size_t count);
void drop_requests(reference::Case& c, std::size_t first, std::size_t count);

void set_page(reference::Case& c, std::uint32_t page);
void set_kv(reference::Case& c, reference::Dtype kv);  // scales back to usual, data kinds that kv cannot hold to normal

void set_draft(reference::Case& c, std::size_t request, std::uint32_t rows);  // fewer rows; trees and masks are cut
void set_all_drafts(reference::Case& c, std::uint32_t rows);                  // one entry for all requests
void limit_drafts(reference::Case& c, std::uint32_t rows);                    // no request has more

}  // namespace xqacheck::properties
