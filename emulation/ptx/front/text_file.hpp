// The files that the machine reads as text: PTX, launch descriptions, lists of known findings.
#pragma once

#include <string>

namespace xqacheck::ptx {

// The whole file, byte for byte. Throws PtxError that names it: a folder, or what cannot be read.
std::string read_text_file(const std::string& path);

}  // namespace xqacheck::ptx
