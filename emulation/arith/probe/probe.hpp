// Does this GPU compute as the library says? Draws adversarial operands on the device and compares every output bit for
// bit on the CPU; deliberate errors in the library show that the comparison could have failed.
#pragma once

namespace xqacheck::arith::probe {

// The command line of `xqacheck probe`. Exit codes: 0 all equal, 1 any mismatch or a deliberate error that went
// unnoticed, 2 usage, 3 no device or a device error.
int run_probe(int argc, const char* const* argv);

}  // namespace xqacheck::arith::probe
