// Text map of the error: rms of error / standard deviation by request, head, channel and draft row, and how strongly
// each page and each tile of tokens is suspected.
#pragma once

#include <string>
#include <vector>

#include "reference/filters/context.hpp"
#include "reference/filters/screen.hpp"

namespace xqacheck::reference::filters {

// One line an axis: "head      0:. 1:. 2:# …" scaled by a legend in the first line.
std::vector<std::string> heat_map(const Context& context, const Screen& screen);

}  // namespace xqacheck::reference::filters
