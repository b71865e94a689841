// Which page was read instead of the right one.
#pragma once

#include <vector>

#include "reference/filters/context.hpp"
#include "reference/filters/suspect.hpp"

namespace xqacheck::reference::filters {

// `page`: a suspect with request, page, token and tokens set. Tries every physical page in its place, for K, for V and
// for both, and returns the best of each kind: what takes away most of sum w e^2. Empty for pools without other pages.
std::vector<Suspect> search_pages(const Context& context, const Suspect& page, int threads);

}  // namespace xqacheck::reference::filters
