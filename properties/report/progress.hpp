// Progress of a run: one line that is rewritten on a terminal, a plain line every tenth of the run elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace xqacheck::properties {

class Progress {
 public:
  // `stream` is stderr, so that results on stdout stay clean; `terminal` is isatty of it.
  Progress(std::FILE* stream, bool terminal, std::uint64_t total);
  ~Progress();

  void advance(std::uint64_t done, std::uint64_t failures);
  void clear();  // removes the line before other text is written

 private:
  void show(std::uint64_t done, std::uint64_t failures);
  std::FILE* stream_;
  bool terminal_, shown_ = false;
  std::uint64_t total_, next_plain_ = 0;
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace xqacheck::properties
