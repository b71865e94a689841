#include "properties/budget/provenance.hpp"

#include <fmt/format.h>

#include "properties/report/header.hpp"
#include "properties/tool_version.hpp"

namespace xqacheck::properties::budget {

Provenance provenance_of(const xqacheck_description& kernel, const Route& route, const std::vector<std::string>& command) {
  Provenance p;
  p.kernel = kernel.name, p.version = kernel.version != nullptr ? kernel.version : "";
  if (kernel.recipe != nullptr) {
    const auto text = [](const char* string) { return std::string(string != nullptr ? string : ""); };
    p.recipe = fmt::format("{} {}", text(kernel.recipe->family), text(kernel.recipe->arch));
    if (const std::string parameters = text(kernel.recipe->parameters); !parameters.empty()) p.recipe += " " + parameters;
  }
  p.device = route.device, p.tool = tool_version(), p.date = utc_now();
  for (const std::string& word : command) {
    // Paths of this machine say nothing elsewhere.
    const std::string shown = &word == &command.front() ? word.substr(word.find_last_of('/') + 1) : word;
    p.command += (p.command.empty() ? "" : " ") + shown;
  }
  return p;
}

}  // namespace xqacheck::properties::budget
