// Fuzz target: any bytes are a run line that round-trips, or a CaseError. Nothing else may happen.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "reference/run_line.hpp"
#include "reference/shape.hpp"

using namespace xqacheck::reference;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  RunLine run;
  try {
    run = parse_run_line({reinterpret_cast<const char*>(data), size});
  } catch (const CaseError&) {
    return 0;
  }
  const std::string line = print_run_line(run);
  if (!(parse_run_line(line) == run)) std::abort();
  if (print_run_line(parse_run_line(line)) != line) std::abort();
  // A valid case has sizes that fit, and settling keeps it valid.
  if (!(estimated_bytes(run.subject) >= 0)) std::abort();
  if (!(settled(run.subject) == run.subject)) std::abort();
  return 0;
}
