#include "reference/slow_golden.hpp"

#include <algorithm>

#include "reference/slow/attention.hpp"
#include "reference/slow/request.hpp"

namespace xqacheck::reference {
namespace {

void store(SlowGolden& golden, const slow::Row& row, std::uint32_t head, const slow::HeadResult& result) {
  const std::size_t place = std::size_t{row.index} * golden.heads + head;
  std::copy(result.out.begin(), result.out.end(),
            golden.out.begin() + static_cast<std::ptrdiff_t>(place * golden.dim_v));
  std::copy(result.sum_p_abs_v.begin(), result.sum_p_abs_v.end(),
            golden.sum_p_abs_v.begin() + static_cast<std::ptrdiff_t>(place * golden.dim_v));
  golden.lse.at(place) = result.lse;
  golden.score_size.at(place) = result.score_size;
  golden.empty.at(place) = result.empty;
  golden.special.at(place) = result.special;
}

}  // namespace

SlowGolden slow_golden(const xqacheck_problem& problem, const xqacheck_numerics* numerics) {
  SlowGolden golden{problem.total_rows, problem.q_heads, problem.head_dim_v, {}, {}, {}, {}, {}, {}};
  const std::size_t heads = std::size_t{golden.rows} * golden.heads;
  for (auto* elements : {&golden.out, &golden.sum_p_abs_v}) elements->assign(heads * golden.dim_v, 0);
  for (auto* rows : {&golden.lse, &golden.score_size}) rows->assign(heads, 0);
  for (auto* flags : {&golden.empty, &golden.special}) flags->assign(heads, 0);

  const std::uint32_t q_format = numerics != nullptr ? numerics->q_format : std::uint32_t{XQACHECK_NONE};
  for (std::uint32_t request = 0; request < problem.requests; ++request) {
    for (std::uint32_t beam = 0; beam < problem.beam_width; ++beam) {
      for (std::uint32_t draft = 0; draft < slow::rows_of(problem, request); ++draft) {
        const slow::Row row = slow::row_at(problem, request, beam, draft);
        for (std::uint32_t head = 0; head < problem.q_heads; ++head) {
          store(golden, row, head, slow::attend(problem, row, head, q_format));
        }
      }
    }
  }
  return golden;
}

}  // namespace xqacheck::reference
