// RapidCheck inside Catch2. RapidCheck's own adapter passes no metadata, so RC_PARAMS=reproduce=… runs no case at all
// there and passes; this one names each property, prints the string that reproduces a failure, and fails where nothing
// ran.
#pragma once

#include <iostream>
#include <sstream>
#include <string>
#include <utility>

#include <rapidcheck.h>

#include "tests/catch.hpp"

namespace xqacheck::tests {

// What a RapidCheck run means for the test: empty if it passed, else the text to show.
inline std::string property_failure(const rc::detail::TestMetadata& metadata, const rc::detail::TestResult& result) {
  rc::detail::SuccessResult success;
  if (result.match(success)) {
    if (success.numSuccess > 0) return {};
    const bool reproducing = !rc::detail::configuration().reproduce.empty();
    return "property '" + metadata.id + "' ran no case" +
           (reproducing ? ": RC_PARAMS=reproduce=... is stale, or belongs to another property" : "");
  }
  std::ostringstream text;
  text << "property '" << metadata.id << "': ";
  rc::detail::printResultMessage(result, text);
  rc::detail::FailureResult failure;
  if (result.match(failure)) {
    rc::detail::Configuration again;
    again.reproduce[metadata.id] = failure.reproduce;
    text << "\nreproduce with RC_PARAMS=\"" << rc::detail::configToMinimalString(again) << "\"";
  }
  return text.str();
}

// Checks a property with RC_PARAMS as given, `cases` times unless RC_PARAMS says otherwise. `id` must be unique among
// the properties of the project: it is what a reproduce string refers to.
template <class Testable>
void check_property(const std::string& id, Testable&& testable, int cases = 0) {
  const rc::detail::TestMetadata metadata{id, id};
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  const bool untouched = params.maxSuccess == rc::detail::TestParams().maxSuccess;
  if (cases > 0 && untouched) params.maxSuccess = cases;
  // An absent id would run nothing and count as a success; property_failure turns the zero into a failure.
  const auto result = rc::detail::checkTestable(std::forward<Testable>(testable), metadata, params);
  const std::string failure = property_failure(metadata, result);
  if (!failure.empty()) {
    std::cerr << failure << "\n";  // Catch2 breaks long lines, and with them the reproduce string
    FAIL(failure);
  }
  SUCCEED(id);
}

}  // namespace xqacheck::tests
