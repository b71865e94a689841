// The body of a function: statements, blocks, instructions, operands.
#pragma once

#include "emulation/ptx/front/cursor.hpp"
#include "emulation/ptx/front/module.hpp"

namespace xqacheck::ptx {

// The cursor stands behind the opening brace; afterwards behind the closing one.
void parse_body(Cursor& cursor, Module& module, Function& function);

// `.file N "name" …`, behind the directive.
void parse_file_directive(Cursor& cursor, Module& module);
// `.section NAME { … }` (debug information), behind the directive: left out.
void skip_section(Cursor& cursor);

}  // namespace xqacheck::ptx
