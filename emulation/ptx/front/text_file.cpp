#include "emulation/ptx/front/text_file.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "emulation/ptx/front/error.hpp"

namespace xqacheck::ptx {

std::string read_text_file(const std::string& path) {
  // A folder opens like a file, and only reading it fails, with words that name nothing.
  if (std::error_code none; std::filesystem::is_directory(path, none)) throw PtxError(path + ": is a folder; name a file");
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in.is_open() || in.bad()) throw PtxError(path + ": cannot be read");
  return text;
}

}  // namespace xqacheck::ptx
