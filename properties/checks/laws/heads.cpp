// Query heads of a group with equal q and equal sinks give equal outputs: bit for bit where the kernel declares that
// rows do not depend on each other, else within the bound.
#include <cstring>

#include "properties/checks/laws/law.hpp"
#include "properties/output.hpp"

namespace xqacheck::properties::laws {
namespace {

using reference::HostBuffer;
using reference::Problem;
using reference::TensorId;

Result check(Trial& trial) {
  const xqacheck_problem& d = trial.problem().description;
  const std::uint32_t group = d.q_heads / d.kv_heads;
  if (group == 1 || d.qkv_bias.dtype != XQACHECK_NONE) return not_here();  // a bias differs from head to head
  Problem changed = trial.problem().clone();
  HostBuffer& q = changed.tensor(TensorId::q);
  HostBuffer& sinks = changed.tensor(TensorId::sinks);
  const std::size_t size = bytes_of(d.q.dtype);
  const auto at = [&](std::uint32_t row, std::uint32_t head) {
    return q.data() + static_cast<std::size_t>(row * d.q_stride_row + head * d.q_stride_head) * size;
  };
  for (std::uint32_t h = 0; h < d.q_heads; ++h) {
    for (std::uint32_t row = 0; row < d.total_rows && h % group != 0; ++row)
      std::memcpy(at(row, h), at(row, h / group * group), size * d.head_dim);
    if (!sinks.empty()) sinks.as<float>()[h] = sinks.as<float>()[h / group * group];
  }
  Side side(trial, changed, "with the heads of each group made equal");
  if (auto result = side.unusable()) return *result;
  const Pairs pairs = [&](const std::function<void(Place, Place)>& use) {
    for (std::uint32_t row = 0; row < d.total_rows; ++row)
      for (std::uint32_t h = 0; h < d.q_heads; ++h)
        if (h % group != 0) use({row, h / group * group}, {row, h});
  };
  return trial.kernel().rows_independent != 0 ? same_bits(side, side, pairs) : within_reach(side, side, pairs);
}

}  // namespace

const Law heads_law = {"equal heads", check};

}  // namespace xqacheck::properties::laws
