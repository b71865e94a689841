// The .loc directives of a function: which line of which source an instruction comes from, and through which inlined calls.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "emulation/ptx/front/cursor.hpp"
#include "emulation/ptx/front/module.hpp"

namespace xqacheck::ptx {

class Location {
 public:
  // The cursor stands behind ".loc". Adds call sites to the module.
  void parse(Cursor& cursor, Module& module);
  // Of an instruction in this line of the PTX.
  SourcePlace place(std::uint32_t ptx_line) const { return {ptx_line, file_, line_, site_}; }

 private:
  using Position = std::array<std::uint32_t, 3>;  // file, line, column

  std::uint32_t file_ = 0, line_ = 0, site_ = 0;
  std::map<Position, std::uint32_t> inlined_;                          // call site of the last .loc with that position
  std::map<std::pair<Position, std::uint32_t>, std::uint32_t> sites_;  // index + 1 by place of the call and its caller
};

}  // namespace xqacheck::ptx
