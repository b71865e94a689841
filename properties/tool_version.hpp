// Version of the tool, written into every result and every saved failure.
#pragma once

#include <string>

namespace xqacheck::properties {

const char* tool_version();   // "0.1.0"
std::string short_version();  // "0.1": `tool=` of a run line; equal short versions replay each other's failures

}  // namespace xqacheck::properties
