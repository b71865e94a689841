// A fault in PTX text or in how it is used, with the place: "file.ptx:412 (kernel.cu:97): unknown modifier '.foo' …".
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace xqacheck::ptx {

// Where an instruction stands: line of the PTX text, and what the last .loc before it says (0: no .loc seen).
struct SourcePlace {
  std::uint32_t line = 0;
  std::uint32_t source_file = 0;  // number of the .file directive
  std::uint32_t source_line = 0;
  std::uint32_t call_site = 0;  // index + 1 into Module::call_sites: where the function with this line was inlined
};

class PtxError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace xqacheck::ptx
