#include "properties/verdict.hpp"

#include <array>

namespace xqacheck::properties {
namespace {

constexpr std::array<const char*, 7> kNames = {"PASSED",  "FAILED", "MISTRUSTED", "UNSUPPORTED",
                                               "CRASHED", "HUNG",   "KNOWN"};

}  // namespace

const char* name_of(Status status) {
  return kNames[static_cast<std::size_t>(status)];
}

std::optional<Status> status_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (name == kNames[i]) return static_cast<Status>(i);
  return std::nullopt;
}

bool is_failure(Status status) {
  return status == Status::failed || status == Status::crashed || status == Status::hung;
}

}  // namespace xqacheck::properties
