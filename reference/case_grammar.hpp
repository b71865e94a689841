// The grammar of the case line as a table: one entry per key, in canonical order.
#pragma once

#include <vector>

#include "reference/case.hpp"
#include "reference/key_table.hpp"

namespace xqacheck::reference {

using CaseKey = Key<Case>;
const std::vector<CaseKey>& case_keys();

}  // namespace xqacheck::reference
