// Variable declarations: `.global .align 4 .u32 x[2] = {1, 2}` in a module, a body or a parameter list.
#pragma once

#include <optional>

#include "emulation/ptx/front/cursor.hpp"
#include "emulation/ptx/front/module.hpp"

namespace xqacheck::ptx {

std::optional<StateSpace> variable_space(std::string_view directive);

// The cursor stands behind the space directive. Reads alignment, attributes, type, name, extents and initialiser, up to
// but not including what follows (';', ',' or ')').
Variable parse_variable(Cursor& cursor, StateSpace space);

}  // namespace xqacheck::ptx
