#include "properties/tool_version.hpp"

#ifndef XQACHECK_VERSION
#error "the build defines XQACHECK_VERSION for this file"
#endif

namespace xqacheck::properties {

const char* tool_version() {
  return XQACHECK_VERSION;
}

std::string short_version() {
  const std::string full = tool_version();
  return full.substr(0, full.find('.', full.find('.') + 1));
}

}  // namespace xqacheck::properties
