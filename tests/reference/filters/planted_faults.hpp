// The faults of the detection table (issue of the golden model; the same list as fixtures/oracle-power.md), planted
// into runs of the rounded kernel, and what the filters make of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/golden.hpp"
#include "reference/problem.hpp"
#include "tests/reference/filters/rounded_kernel.hpp"

namespace xqacheck::tests {

// A problem with its golden result, made once for all faults of a trial.
struct Subject {
  reference::Problem problem;
  xqacheck_problem view{};
  xqacheck_numerics numerics{};
  reference::Golden golden;
  std::uint32_t splits = 0;  // that the kernel uses
};

struct Trial {
  std::uint32_t tokens = 0;
  std::uint64_t number = 0;
  RoundedKernel kernel;
  Subject plain, windowed, drafted;  // decode; decode with window = tokens / 2; 4 draft tokens, causal
};

Trial make_trial(std::uint32_t tokens, std::uint64_t number, bool e4m3);

struct Faulty {
  const Subject* subject = nullptr;
  std::vector<double> out;
  std::vector<std::string> names;  // texts of suspects that name the fault rightly, up to what the output can tell
};

struct PlantedFault {
  std::string name;  // as in fixtures/oracle-power.md
  Faulty (*plant)(const Trial&);
};

const std::vector<PlantedFault>& planted_faults();  // the first is "(correct kernel)"

struct Judgement {
  bool by_bound = false, asked = false, by_filter = false, explained = false, named = false;
  std::string told;  // the first suspect, as explained
  bool detected() const { return by_bound || by_filter; }
};

// The filters are asked where the bound sees nothing; with `explained` always, and `explain` for the culprit.
Judgement judge(const Faulty& faulty, bool explained, int threads);

}  // namespace xqacheck::tests
