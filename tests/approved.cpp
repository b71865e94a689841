#include "tests/approved.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace xqacheck::tests {

std::string differs_from_approved(const std::string& path, const std::string& text) {
  const char* root = std::getenv("XQACHECK_SOURCE_DIR");
  if (!root) return "XQACHECK_SOURCE_DIR is not set: run the tests through ctest";
  const std::string file = std::string(root) + "/" + path;
  if (std::getenv("XQACHECK_APPROVE")) {
    std::ofstream(file, std::ios::binary) << text;
    return "";
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) return file + " does not exist; XQACHECK_APPROVE=1 writes it";
  std::ostringstream approved;
  approved << in.rdbuf();
  if (approved.str() == text) return "";
  std::istringstream want(approved.str()), got(text);
  std::string want_line, got_line;
  for (int line = 1;; ++line) {
    const bool more_want = static_cast<bool>(std::getline(want, want_line));
    const bool more_got = static_cast<bool>(std::getline(got, got_line));
    if (more_want && more_got && want_line == got_line) continue;
    return path + ":" + std::to_string(line) + "\n approved: " + (more_want ? want_line : "(end)") +
           "\n received: " + (more_got ? got_line : "(end)") + "\n\nwhole text:\n" + text;
  }
}

}  // namespace xqacheck::tests
