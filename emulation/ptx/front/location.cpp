#include "emulation/ptx/front/location.hpp"

#include <fmt/format.h>

#include <string>

namespace xqacheck::ptx {

// .loc FILE LINE COLUMN [, function_name NAME [+ N] , inlined_at FILE LINE COLUMN]; no semicolon. The place of the call
// has had a .loc of its own before (PTX ISA, .loc): that one tells where the caller was inlined.
void Location::parse(Cursor& cursor, Module& module) {
  const auto position = [&] {
    Position at;
    for (std::uint32_t& part : at) part = static_cast<std::uint32_t>(cursor.expect_integer("file, line and column"));
    return at;
  };
  const Position here = position();
  file_ = here[0], line_ = here[1], site_ = 0;
  while (cursor.peek().is(",")) {
    cursor.take();
    const std::string what = cursor.expect_word("function_name or inlined_at");
    if (what == "function_name") {
      cursor.expect_word("a label");
      if (cursor.accept("+")) cursor.expect_integer("an offset");
    } else if (what == "inlined_at") {
      const Position call = position();
      const auto outer = inlined_.find(call);
      const std::uint32_t caller = outer == inlined_.end() ? 0 : outer->second;
      const auto [known, fresh] = sites_.try_emplace({call, caller}, 0);
      if (fresh) {
        module.call_sites.push_back({call[0], call[1], caller});
        known->second = static_cast<std::uint32_t>(module.call_sites.size());
      }
      site_ = known->second;
    } else {
      cursor.fail(fmt::format("unknown attribute '{}' of .loc", what));
    }
  }
  inlined_[here] = site_;
}

}  // namespace xqacheck::ptx
