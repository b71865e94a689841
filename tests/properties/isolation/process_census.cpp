#include "tests/properties/isolation/process_census.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <thread>

namespace xqacheck::tests {
namespace {

namespace fs = std::filesystem;

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::string contents(const fs::path& path) {
  // A process may go away at any moment: what cannot be read any more is empty.
  std::string text;
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return text;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, got);
  std::fclose(file);
  return text;
}

int count(const std::string& mark) {
  int found = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (!is_number(name) || std::stoi(name) == getpid()) continue;
    // A zombie's environment is empty, but it is still something left behind: its parent is this process.
    const std::string stat = contents(entry.path() / "stat");
    const std::size_t end = stat.rfind(')');
    const bool child = end != std::string::npos && std::atoi(stat.c_str() + end + 4) == getpid();
    found += child || contents(entry.path() / "environ").find(mark) != std::string::npos;
  }
  return found;
}

}  // namespace

ProcessCensus::ProcessCensus() {
  static int number = 0;
  mark_ = "XQACHECK_TEST_MARK=" + std::to_string(getpid()) + "_" + std::to_string(++number) + "_";
  setenv("XQACHECK_TEST_MARK", mark_.substr(mark_.find('=') + 1).c_str(), 1);
}

int ProcessCensus::others(double patience_seconds) const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience_seconds);
  int found = count(mark_);
  while (found > 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    found = count(mark_);
  }
  return found;
}

int open_descriptors() {
  return static_cast<int>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

}  // namespace xqacheck::tests
