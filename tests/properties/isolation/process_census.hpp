// Counts the processes that a test has caused, wherever they have got to: they inherit a mark in their environment.
#pragma once

#include <string>

namespace xqacheck::tests {

class ProcessCensus {
 public:
  ProcessCensus();  // marks this process's environment: workers started from now on carry the mark
  // Living processes with the mark, this one not counted. Waits up to `patience_seconds` for the count to reach zero.
  int others(double patience_seconds = 0) const;

 private:
  std::string mark_;
};

// Open descriptors of this process.
int open_descriptors();

}  // namespace xqacheck::tests
