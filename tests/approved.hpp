// Golden files for texts that people read: a failing report is an interface. A changed text fails the test and shows
// both; XQACHECK_APPROVE=1 in the environment accepts it, and the diff of the repository shows what was accepted.
#pragma once

#include <string>

namespace xqacheck::tests {

// Compares `text` with the file `path` below the source folder. Returns "" or what differs, first line that differs
// first.
std::string differs_from_approved(const std::string& path, const std::string& text);

}  // namespace xqacheck::tests

#define CHECK_APPROVED(path, text) CHECK(xqacheck::tests::differs_from_approved(path, text) == "")
