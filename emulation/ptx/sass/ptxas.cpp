#include "emulation/ptx/sass/ptxas.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "emulation/ptx/front/error.hpp"

extern char** environ;

namespace xqacheck::ptx {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "xqacheck-ptxas-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw PtxError("ptxas: no temporary folder: " + std::string(std::strerror(errno)));
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool runs(const std::string& path) {
  return !path.empty() && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_ptxas() {
  if (const char* named = std::getenv("XQACHECK_PTXAS")) return runs(named) ? named : "";
  std::string places = std::getenv("PATH") != nullptr ? std::getenv("PATH") : "";
  if (const char* home = std::getenv("CUDA_HOME")) places += fmt::format(":{}/bin", home);
  places += ":/usr/local/cuda/bin";
  for (std::size_t begin = 0; begin <= places.size();) {
    const std::size_t end = std::min(places.find(':', begin), places.size());
    const std::string path = places.substr(begin, end - begin) + "/ptxas";
    if (runs(path)) return path;
    begin = end + 1;
  }
  return "";
}

std::vector<std::byte> assemble(const std::string& ptxas, const std::string& ptx_file, const std::string& arch) {
  const TemporaryFolder folder;
  const std::string cubin = (folder.path() / "k.cubin").string(), said = (folder.path() / "said").string();
  std::string arch_option = "-arch=" + arch, output = "-o", program = ptxas, input = ptx_file, target = cubin;
  char* arguments[] = {program.data(), arch_option.data(), input.data(), output.data(), target.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failed = posix_spawn(&child, ptxas.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw PtxError(fmt::format("{} cannot be run: {}", ptxas, std::strerror(failed)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw PtxError(fmt::format("{}: ptxas refuses it: {}", ptx_file, text_of(said)));
  const std::string bytes = text_of(cubin);
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return {begin, begin + bytes.size()};
}

std::vector<std::byte> assemble_text(const std::string& ptxas, const std::string& text, const std::string& arch) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "k.ptx").string();
  std::ofstream(file) << text;
  return assemble(ptxas, file, arch);
}

}  // namespace xqacheck::ptx
