#include "properties/isolation/log_tail.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>

namespace xqacheck::properties::isolation {
namespace {

// Enough for an assertion, a sanitizer's first frames or a compiler's error, short enough for a report's line.
constexpr std::size_t kKept = 600;
// One call takes at most this much: a kernel that prints without end must not keep the harness from its deadline.
constexpr std::size_t kMostAtOnce = 1 << 20;

bool is_printable(unsigned char c) {
  return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t' || c >= 0x80;
}

}  // namespace

bool LogTail::drain(int fd) {
  char buffer[16384];
  for (std::size_t taken = 0; taken < kMostAtOnce;) {
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got == 0) return false;
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    taken += static_cast<std::size_t>(got);
    total_ += static_cast<std::uint64_t>(got);
    kept_.append(buffer, static_cast<std::size_t>(got));
    if (kept_.size() > kKept) kept_.erase(0, kept_.size() - kKept);
  }
  return true;
}

void LogTail::clear() {
  kept_.clear();
  total_ = 0;
}

std::string LogTail::text() const {
  std::string result;
  for (const char c : kept_) {
    if (is_printable(static_cast<unsigned char>(c)))
      result.push_back(c);
    else
      fmt::format_to(std::back_inserter(result), "\\x{:02x}", static_cast<unsigned char>(c));
  }
  while (!result.empty() && (result.back() == '\n' || result.back() == ' ')) result.pop_back();
  return result;
}

}  // namespace xqacheck::properties::isolation
