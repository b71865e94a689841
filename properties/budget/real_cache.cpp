#include "properties/budget/real_cache.hpp"

#include <algorithm>

#include "properties/errors.hpp"
#include "reference/data_source.hpp"
#include "reference/gather.hpp"

namespace xqacheck::properties::budget {

using reference::Case;
using reference::TensorId;

std::string RealCache::why_not(const Case& c) {
  if (c.table == reference::TableKind::prefix || c.table == reference::TableKind::aliased)
    return "table: tokens of several requests share pages, so that one place has several real values";
  if (c.table == reference::TableKind::far) return "table: a far pool has no room for real values";
  if (c.beam != 1) return "beam: budgets have one beam";
  if (c.rope != reference::RopeStyle::none || c.bias) return "rope: budgets look at a finished cache";
  if (!c.inject.empty()) return "inject: NaN and Inf have no error";
  return "";
}

RealCache::RealCache(const reference::Problem& problem) : k_scale_(1), v_scale_(1) {
  const Case& c = problem.source;
  if (const std::string why = why_not(c); !why.empty()) throw UsageError(why);
  const bool stored_narrow = !reference::is_16bit(c.kv);
  if (stored_narrow) k_scale_ = c.k_scale, v_scale_ = c.v_scale;
  const std::size_t bytes = reference::bytes_of(c.kv);
  k_.assign(problem.tensor(TensorId::k).size() / bytes, 0.0f);
  v_.assign(problem.tensor(TensorId::v).size() / bytes, 0.0f);
  const xqacheck_problem view = problem.view(nullptr, nullptr);
  const reference::KvView where(view);
  const reference::DataSource source(c);
  float* const v = v_.empty() ? k_.data() : v_.data();
  for (std::uint32_t request = 0; request < c.requests(); ++request) {
    for (std::uint32_t token = 0; token < c.lens[request]; ++token) {
      for (std::uint32_t head = 0; head < c.kv_heads; ++head) {
        const reference::RowPlace at{request, 0, token, head};
        source.k_row(at, k_.data() + where.k_row(request, 0, token, head));
        if (!c.mla()) source.v_row(at, v + where.v_row(request, 0, token, head));
      }
    }
  }
}

xqacheck_problem RealCache::real_view(xqacheck_problem view) const {
  const auto become = [](xqacheck_tensor& tensor, const std::vector<float>& values) {
    tensor.data = const_cast<float*>(values.data());
    tensor.bytes = values.size() * sizeof(float);
    tensor.dtype = XQACHECK_FP32;
    tensor.align = alignof(float);
  };
  become(view.k, k()), become(view.v, v());
  view.k_scale = view.v_scale = {1.0f, 0, nullptr};
  return view;
}

std::vector<float> RealCache::in_cache_units(bool is_v) const {
  std::vector<float> values = is_v ? v() : k();
  const float scale = is_v ? v_scale_ : k_scale_;
  for (float& value : values) value /= scale;
  return values;
}

}  // namespace xqacheck::properties::budget
