// A runner that counts: every token it sees weighs the same, summed in doubles, so that a test can drop, double or add
// single tokens, pages, mask bits and sinks of an otherwise exact kernel for coded runs.
#pragma once

#include <cmath>
#include <functional>

#include "reference/gather.hpp"
#include "reference/golden/sequence.hpp"
#include "tests/properties/fake_runner.hpp"

namespace xqacheck::tests {

class CountingRunner final : public properties::Runner {
 public:
  using Sequence = reference::Sequence;

  // How often token `t` counts in a row of a query head; `seen`: 1 if it is visible.
  std::function<int(const Sequence&, std::uint32_t row, std::uint32_t head, std::int64_t t, int seen)> count;
  // Another place of a token's V row (element offset of channel 0).
  std::function<std::uint64_t(const Sequence&, std::uint32_t kv_head, std::int64_t t, std::uint64_t place)> place;
  // Elements that count beside the tokens, by their offset in V: one row each.
  std::vector<std::uint64_t> foreign;
  std::function<double(std::uint32_t head, const std::vector<double>& weights)> sink;
  double lse_tokens = 0;  // that LSE counts too many
  std::uint32_t splits = 1;

  CountingRunner() {
    description_.name = "counting", description_.version = "1";
    description_.deterministic = description_.rows_independent = description_.split_invariant_company = 1;
    description_.numerics.p_format = description_.numerics.partial_format = XQACHECK_FP32;
    description_.numerics.accumulator_bits = 24, description_.numerics.double_rounded_output = 2;
  }
  const xqacheck_description& description() override { return description_; }

  properties::Outcome run(const reference::Problem& problem, const properties::RunOptions&) override {
    ++calls;
    properties::Outcome outcome;
    outcome.status = properties::RunStatus::ok;
    outcome.route = {"counting", "1", "host", splits};
    outcome.out.resize(problem.out_bytes());
    outcome.lse.resize(problem.lse_bytes());
    const xqacheck_problem p = problem.view(nullptr, nullptr);
    const reference::Sight sight(p);
    std::vector<double> weights;
    for (std::uint32_t h = 0; p.sinks.data != nullptr && h < p.q_heads; ++h)
      weights.push_back(std::exp(double{static_cast<const float*>(p.sinks.data)[h]}));
    for (const Sequence& s : sight.sequences())
      for (std::uint32_t row = 0; row < s.rows; ++row)
        for (std::uint32_t h = 0; h < p.q_heads; ++h) one_row(p, sight, s, row, h, weights, outcome);
    return outcome;
  }

  xqacheck_description description_{};
  int calls = 0;

 private:
  void one_row(const xqacheck_problem& p, const reference::Sight& sight, const Sequence& s, std::uint32_t row,
               std::uint32_t head, const std::vector<double>& weights, properties::Outcome& outcome) {
    const reference::KvView view(p);
    const std::uint32_t g = head / (p.q_heads / p.kv_heads);
    std::vector<double> sums(p.head_dim_v);
    double total = weights.empty() ? 0 : sink ? sink(head, weights) : weights[head];
    const auto add = [&](std::uint64_t at, int times) {
      total += times;
      for (std::uint32_t d = 0; d < p.head_dim_v; ++d) sums[d] += times * element(p, at + d);
    };
    for (std::int64_t t = 0; t < s.length; ++t) {
      const int seen = sight.sees(s, row, t) ? 1 : 0;
      const int times = count ? count(s, row, head, t, seen) : seen;
      if (times == 0) continue;
      const std::uint64_t at = view.v_row(s.request, s.beam, static_cast<std::uint32_t>(t), g);
      add(place ? place(s, g, t, at) : at, times);
    }
    for (const std::uint64_t at : foreign) add(at, 1);
    if (!outcome.lse.empty())
      reinterpret_cast<float*>(outcome.lse.data())[(s.first_row + row) * p.q_heads + head] =
          static_cast<float>(std::log(total + lse_tokens) / std::log(double{p.lse_base}));
    const double scale = double{p.v_scale.value} * double{p.rcp_out_scale.value} / (total > 0 ? total : 1);
    for (std::uint32_t d = 0; d < p.head_dim_v; ++d)
      FakeRunner::store(p, outcome, static_cast<std::uint32_t>(s.first_row) + row, head, d, sums[d] * scale);
  }

  static double element(const xqacheck_problem& p, std::uint64_t at) {
    switch (p.v.dtype) {
      case XQACHECK_INT8:
        return static_cast<const std::int8_t*>(p.v.data)[at];
      case XQACHECK_E4M3:
        return reference::decode(reference::Dtype::e4m3, static_cast<const std::uint8_t*>(p.v.data)[at]);
      case XQACHECK_FP16:
        return reference::decode(reference::Dtype::fp16, static_cast<const std::uint16_t*>(p.v.data)[at]);
      default:
        return reference::decode(reference::Dtype::bf16, static_cast<const std::uint16_t*>(p.v.data)[at]);
    }
  }
};

}  // namespace xqacheck::tests
