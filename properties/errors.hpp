// Errors that end a whole run, by the exit code that the command line gives them. What a kernel does is never one of
// these: that becomes a verdict.
#pragma once

#include <stdexcept>
#include <string>

namespace xqacheck::properties {

// Exit code 2: the person asked for something that makes no sense; the message names the field and the fix.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Exit code 3: the surroundings do not allow the run: a file that cannot be written, no worker process, no device.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace xqacheck::properties
