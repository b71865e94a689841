// xqacheck-probe, which `xqacheck probe` runs.
#include "emulation/arith/probe/probe.hpp"

int main(int argc, char** argv) {
  return xqacheck::arith::probe::run_probe(argc, argv);
}
