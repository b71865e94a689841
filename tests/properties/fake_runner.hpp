// A runner without a kernel: its outputs are the golden result, rounded, unless a test spoils them.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>

#include "kernels/abi/xqacheck_contradiction.h"
#include "properties/runner.hpp"
#include "reference/formats.hpp"
#include "reference/golden.hpp"

namespace xqacheck::tests {

class FakeRunner final : public properties::Runner {
 public:
  // Called with every outcome before it is handed over; may change anything.
  using Spoil = std::function<void(const xqacheck_problem&, const properties::RunOptions&, properties::Outcome&)>;

  explicit FakeRunner(Spoil spoil = {}) : spoil_(std::move(spoil)) {
    description_.name = "fake";
    description_.version = "1";
    description_.deterministic = description_.rows_independent = description_.split_invariant_company = 1;
    description_.numerics.accumulator_bits = 24;
  }

  properties::Outcome run(const reference::Problem& problem, const properties::RunOptions& options) override {
    ++calls;
    properties::Outcome outcome;
    outcome.status = properties::RunStatus::ok;
    outcome.route = {"fake", "1", "host", options.plan ? options.plan : 1};
    const xqacheck_problem p = problem.view(nullptr, nullptr);
    if (const char* fault = xqacheck_contradiction(&p); fault != nullptr) {
      outcome.status = properties::RunStatus::invalid, outcome.why = fault;
      return outcome;
    }
    const reference::Golden golden = reference::golden(p, &description_.numerics, {.error_model = false, .threads = 1});
    outcome.out.resize(problem.out_bytes());
    outcome.lse.resize(problem.lse_bytes());
    const double to_base = p.lse_base == 2 ? std::log(2.0) : 1;
    for (std::uint32_t row = 0; row < golden.rows; ++row)
      for (std::uint32_t head = 0; head < golden.heads; ++head) {
        const std::size_t i = std::size_t{row} * golden.heads + head;
        for (std::uint32_t d = 0; d < golden.dim_v; ++d)
          store(p, outcome, row, head, d, golden.out[i * golden.dim_v + d]);
        if (!outcome.lse.empty()) reinterpret_cast<float*>(outcome.lse.data())[i] = static_cast<float>(golden.lse[i] / to_base);
      }
    if (spoil_) spoil_(p, options, outcome);
    return outcome;
  }
  const xqacheck_description& description() override { return description_; }

  // Writes an output element.
  static void store(const xqacheck_problem& p, properties::Outcome& outcome, std::uint32_t row, std::uint32_t head,
                    std::uint32_t dim, double value) {
    const reference::Dtype dtype = p.out.dtype == XQACHECK_BF16   ? reference::Dtype::bf16
                                   : p.out.dtype == XQACHECK_FP16 ? reference::Dtype::fp16
                                                                  : reference::Dtype::e4m3;
    const std::uint16_t bits = reference::encode(dtype, value);
    const std::size_t bytes = reference::bytes_of(dtype);
    const auto element = static_cast<std::size_t>(row * p.out_stride_row + head * p.out_stride_head + dim);
    std::memcpy(outcome.out.data() + bytes * element, &bits, bytes);
  }

  xqacheck_description description_{};
  int calls = 0;

 private:
  Spoil spoil_;
};

}  // namespace xqacheck::tests
