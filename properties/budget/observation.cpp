#include "properties/budget/observation.hpp"

#include "properties/output.hpp"

namespace xqacheck::properties::budget {

Observation make_observation(const reference::Problem& problem, const RealCache& cache,
                             const xqacheck_numerics& numerics, int threads) {
  Observation o;
  o.problem = &problem, o.view = problem.view(nullptr, nullptr), o.numerics = numerics;
  reference::GoldenOptions values;
  values.error_model = false, values.threads = threads;
  xqacheck_numerics exact_q = numerics;
  exact_q.q_format = XQACHECK_NONE;
  o.real = reference::golden(cache.real_view(o.view), &exact_q, values);
  reference::GoldenOptions model;
  model.threads = threads;
  o.declared = reference::golden(o.view, &numerics, model);
  if (numerics.q_format == XQACHECK_NONE) {
    o.stored.rows = o.declared.rows, o.stored.heads = o.declared.heads, o.stored.dim_v = o.declared.dim_v;
    o.stored.out = o.declared.out, o.stored.lse = o.declared.lse;
  } else {
    o.stored = reference::golden(o.view, &exact_q, values);
  }
  return o;
}

std::vector<double> output_values(const xqacheck_problem& view, const Outcome& outcome) {
  std::vector<double> values;
  values.reserve(std::size_t{view.total_rows} * view.q_heads * view.head_dim_v);
  for (std::uint32_t row = 0; row < view.total_rows; ++row)
    for (std::uint32_t head = 0; head < view.q_heads; ++head)
      for (std::uint32_t dim = 0; dim < view.head_dim_v; ++dim)
        values.push_back(decode(view.out.dtype, outcome.out.data() + out_offset(view, row, head, dim)));
  return values;
}

Lines all_lines(const Observation& o) {
  Lines lines(o.lines());
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = o.declared.empty[i] == 0 && o.declared.special[i] == 0;
  return lines;
}

std::vector<Lines> lines_by_unit(const Observation& o) {
  const Lines all = all_lines(o);
  const std::uint32_t kv_heads = o.view.kv_heads, group = o.view.q_heads / kv_heads;
  std::vector<Lines> units(std::size_t{o.view.requests} * kv_heads, Lines(all.size()));
  for (std::uint32_t row = 0; row < o.rows(); ++row) {
    const std::uint32_t request = place_of_row(o.view, row).request;
    for (std::uint32_t head = 0; head < o.heads(); ++head) {
      const std::size_t line = std::size_t{row} * o.heads() + head;
      units[std::size_t{request} * kv_heads + head / group][line] = all[line];
    }
  }
  return units;
}

}  // namespace xqacheck::properties::budget
