#include "tests/cli/tool.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "properties/report/atomic_file.hpp"
#include "properties/report/explain.hpp"

namespace xqacheck::tests {
namespace {

std::string bin() {
  const char* folder = std::getenv("XQACHECK_BIN");
  if (!folder) throw std::runtime_error("XQACHECK_BIN is not set: run the tests through ctest");
  return folder;
}

}  // namespace

Workplace::Workplace() {
  std::string pattern = (std::filesystem::temp_directory_path() / "xqacheck-cli-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a folder like " + pattern);
  folder_ = pattern;
}

Workplace::~Workplace() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

ToolResult Workplace::run(const std::vector<std::string>& arguments) const {
  std::string command =
      "cd " + properties::shell_quoted(folder_) + " && " + properties::shell_quoted(bin() + "/xqacheck");
  for (const std::string& argument : arguments) command += " " + properties::shell_quoted(argument);
  command += " >.out 2>.err </dev/null";
  const int status = std::system(command.c_str());
  ToolResult result;
  result.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = read(".out"), result.err = read(".err");
  return result;
}

void Workplace::write(const std::string& name, const std::string& text) const {
  properties::write_file_atomically(path(name), text);
}

std::string Workplace::read(const std::string& name) const {
  return properties::read_whole_file(path(name));
}

std::vector<std::string> Workplace::files(const std::string& folder) const {
  std::vector<std::string> names;
  if (std::filesystem::exists(path(folder)))
    for (const auto& entry : std::filesystem::directory_iterator(path(folder)))
      names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::string plugin(const std::string& name) {
  return std::filesystem::weakly_canonical(bin() + "/../lib/plugins/" + name + ".so");
}

}  // namespace xqacheck::tests
