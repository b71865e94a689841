#include "emulation/arith/probe/fit.hpp"

#include <fmt/format.h>

#include "emulation/arith/probe/expected.hpp"

namespace xqacheck::arith::probe {

std::string fit_rule(const MatrixInstruction& row, const std::vector<FitSample>& samples) {
  uint64_t outputs = 0;
  for (const FitSample& sample : samples) outputs += sample.device.size();
  uint64_t best = outputs + 1;
  std::string best_name;
  std::string exact;
  for (const int group : {4, 8, 16, 32}) {
    if (group > row.k) continue;
    for (int fraction_bits = 12; fraction_bits <= 30; ++fraction_bits) {
      for (const int result_mantissa : {23, 13}) {
        MatrixInstruction candidate = row;
        candidate.lowering = Lowering::fused;
        candidate.rule = {group, fraction_bits, result_mantissa, kAlignmentFloor};
        uint64_t mismatches = 0;
        for (const FitSample& sample : samples) {
          mismatches += count_noticed(sample.run, candidate, sample.device.data(), {});
          if (mismatches > best) break;
        }
        const std::string name =
            fmt::format("groups of {}, F = {}, result mantissa {}", group, fraction_bits, result_mantissa);
        if (mismatches == 0) exact += fmt::format("{}{}", exact.empty() ? "" : "; ", name);
        if (mismatches < best) {
          best = mismatches;
          best_name = name;
        }
      }
    }
  }
  if (!exact.empty()) return fmt::format("fits all {} sampled outputs: {}", outputs, exact);
  return fmt::format("nothing tried fits; closest: {} ({} of {} sampled outputs differ)", best_name, best, outputs);
}

}  // namespace xqacheck::arith::probe
