// Files that exist whole or not at all: written to a temporary name beside the target, then renamed.
#pragma once

#include <string>
#include <string_view>

namespace xqacheck::properties {

// Creates missing folders. Throws EnvironmentError naming the path and the reason; the target is then as it was.
void write_file_atomically(const std::string& path, std::string_view text);

// Throws EnvironmentError when the file could not be written now: asked before a long run whose result goes there.
void require_writable(const std::string& path);

// Throws EnvironmentError when the file cannot be read.
std::string read_whole_file(const std::string& path);

}  // namespace xqacheck::properties
