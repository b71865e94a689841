// The last of what a worker printed, bounded however much it prints.
#pragma once

#include <cstdint>
#include <string>

namespace xqacheck::properties::isolation {

class LogTail {
 public:
  // Takes what is in the pipe now. False at end of file.
  bool drain(int fd);
  void clear();
  // Up to kKept bytes of printable text, other bytes as \xNN; "" if nothing was printed.
  std::string text() const;
  std::uint64_t total_bytes() const { return total_; }

 private:
  std::string kept_;
  std::uint64_t total_ = 0;
};

}  // namespace xqacheck::properties::isolation
