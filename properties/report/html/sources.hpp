// The page's source files as they lie beside this one, embedded when the tool is built.
#pragma once

#include <span>

namespace xqacheck::properties::html {

const char* page_template();                  // page.html
std::span<const char* const> style_sheets();  // in the order in which they count
std::span<const char* const> scripts();       // one scope: a file uses the names of those before it

}  // namespace xqacheck::properties::html
