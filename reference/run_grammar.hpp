// The grammar of the run part of a run line as a table: one entry per key, in canonical order.
#pragma once

#include <vector>

#include "reference/key_table.hpp"
#include "reference/run_line.hpp"

namespace xqacheck::reference {

using RunKey = Key<RunLine>;
const std::vector<RunKey>& run_keys();

}  // namespace xqacheck::reference
