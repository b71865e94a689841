// Where q is 0 and there are no sinks, the output is the mean of the visible V. The mean is taken here, token by token,
// not by the golden model; the bound is golden's.
#include <algorithm>
#include <cmath>
#include <vector>

#include "properties/checks/laws/law.hpp"
#include "properties/checks/laws/tokens.hpp"
#include "properties/output.hpp"
#include "reference/formats.hpp"
#include "reference/gather.hpp"
#include "reference/golden/sequence.hpp"

namespace xqacheck::properties::laws {
namespace {

using reference::Problem;
using reference::Sequence;
using reference::TensorId;

double element(const xqacheck_tensor& tensor, std::uint64_t at) {
  const auto* bytes = static_cast<const std::byte*>(tensor.data) + at * bytes_of(tensor.dtype);
  return tensor.dtype == XQACHECK_INT8 ? static_cast<double>(static_cast<signed char>(*bytes))
                                       : decode(tensor.dtype, bytes);
}

Result check(Trial& trial) {
  const xqacheck_problem& d = trial.problem().description;
  if (d.k_new.dtype != XQACHECK_NONE || d.qkv_bias.dtype != XQACHECK_NONE) return not_here();
  Problem changed = trial.problem().clone();
  drop_sinks(changed);
  reference::HostBuffer& q = changed.tensor(TensorId::q);
  std::fill_n(q.data(), q.size(), std::byte{0});
  Side side(trial, changed, "with q = 0");
  if (auto result = side.unusable()) return *result;
  const xqacheck_problem& p = side.view();
  const reference::Sight sight(p);
  const reference::KvView view(p);
  std::vector<double> means(std::size_t{p.total_rows} * p.kv_heads * p.head_dim_v);
  for (const Sequence& s : sight.sequences())
    for (std::uint32_t i = 0; i < s.rows; ++i)
      for (std::uint32_t g = 0; g < p.kv_heads; ++g) {
        double* mean = means.data() + ((s.first_row + i) * p.kv_heads + g) * p.head_dim_v;
        double seen = 0;
        for (std::uint32_t t = 0; t < s.length; ++t) {
          if (!sight.sees(s, i, t)) continue;
          ++seen;
          const std::uint64_t first = view.v_row(s.request, s.beam, t, g);
          for (std::uint32_t c = 0; c < p.head_dim_v; ++c) mean[c] += element(p.v, first + c);
        }
        for (std::uint32_t c = 0; c < p.head_dim_v && seen > 0; ++c)
          mean[c] *= double{p.v_scale.value} * double{p.rcp_out_scale.value} / seen;
      }
  const std::uint32_t group = p.q_heads / p.kv_heads;
  return is_near(side, [&](std::uint32_t row, std::uint32_t head, std::uint32_t dim) {
    return means[(std::size_t{row} * p.kv_heads + head / group) * p.head_dim_v + dim];
  });
}

}  // namespace

const Law mean_law = {"mean of V", check};

}  // namespace xqacheck::properties::laws
