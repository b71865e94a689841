// The configurations that a budget has if nobody asks for others: by format of the cache.
#pragma once

#include <string>
#include <vector>

#include "reference/run_line.hpp"

namespace xqacheck::properties::budget {

// Run lines without seed and kernel. Throws UsageError for an unknown name; names are those of `kv=`.
std::vector<reference::RunLine> default_configurations(const std::string& cache_format);

// The same lengths with every power of two from `first` to `last` tokens: "64..131072".
std::vector<reference::RunLine> ladder(const reference::RunLine& run, const std::string& range);

}  // namespace xqacheck::properties::budget
