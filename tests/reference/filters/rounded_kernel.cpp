#include "tests/reference/filters/rounded_kernel.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/golden/append.hpp"
#include "reference/golden/cache_reader.hpp"
#include "reference/golden/element.hpp"
#include "reference/golden/sequence.hpp"
#include "reference/golden/tensor.hpp"

namespace xqacheck::tests {
namespace {

using namespace xqacheck::reference;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr std::int64_t kTile = 64;
constexpr float kNothing = -std::numeric_limits<float>::infinity();

struct Partial {
  Eigen::RowVectorXf sum;
  float max = kNothing, weight = 0;
};

float rounded_to(std::uint32_t dtype, float x) {
  return dtype == XQACHECK_FP32 ? x : static_cast<float>(rounded(format_of(dtype), x));
}

void read(const TokenRow& row, std::uint32_t dtype, Eigen::Index count, float* to) {
  for (Eigen::Index d = 0; d < count; ++d) {
    to[d] = static_cast<float>(row.values != nullptr ? row.values[d] : element(row.raw + d * bytes_of(dtype), dtype));
  }
}

class Task {
 public:
  Task(const RoundedKernel& kernel, const xqacheck_problem& p, const Sight& sight, const CacheReader& reader,
       const Sequence& s, std::uint32_t kv_head)
      : kernel_(kernel), p_(p), sight_(sight), s_(s), group_(p.q_heads / p.kv_heads) {
    keys_.resize(s.length, p.head_dim);
    values_.resize(s.length, p.head_dim_v);
    for (std::int64_t t = 0; t < s.length; ++t) {
      read(reader.k(s, kv_head, t), p.k.dtype, p.head_dim, keys_.row(t).data());
      read(reader.v(s, kv_head, t), p.v.dtype, p.head_dim_v, values_.row(t).data());
    }
    scale_ = static_cast<float>(value_of(p.q_scale) * value_of(p.k_scale) / std::sqrt(double{1} * p.head_dim));
  }

  // One row and head: partials of the sub-sequences, merged.
  Eigen::RowVectorXf attend(std::uint32_t draft, const float* q, float sink) const {
    const std::int64_t tiles = (s_.length + kTile - 1) / kTile,
                       each = (tiles + kernel_.splits - 1) / std::max(1u, kernel_.splits);
    std::vector<Partial> partials;
    for (std::int64_t first = 0; first < tiles; first += each) {
      partials.push_back(part(draft, q, first, std::min(tiles, first + each)));
    }
    // The sink joins at the end, relative to the largest score, as in the public kernels.
    float top = kNothing;
    for (const Partial& x : partials) top = std::max(top, x.max);
    Eigen::RowVectorXf sum = Eigen::RowVectorXf::Zero(p_.head_dim_v);
    if (top == kNothing) return sum;
    float weight = std::exp(sink - top);
    for (const Partial& x : partials) {
      if (x.max == kNothing) continue;
      const float rescale = kernel_.merge_without_rescale ? 1 : std::exp(x.max - top);
      Eigen::RowVectorXf normalised = x.sum / x.weight;
      if (partials.size() > 1) {
        for (float& value : normalised) value = rounded_to(kernel_.partial_format, value);
      }
      sum += normalised * (x.weight * rescale);
      weight += x.weight * rescale;
    }
    return sum / weight;
  }

 private:
  Partial part(std::uint32_t draft, const float* q, std::int64_t first, std::int64_t last) const {
    Partial x;
    x.sum = Eigen::RowVectorXf::Zero(p_.head_dim_v);
    const Eigen::Map<const Eigen::VectorXf> query(q, p_.head_dim);
    for (std::int64_t tile = first; tile < last; ++tile) {
      const std::int64_t begin = tile * kTile, count = std::min(kTile, s_.length - begin);
      Eigen::VectorXf scores = products(keys_.middleRows(begin, count), query) * scale_;
      for (std::int64_t t = 0; t < count; ++t) {
        if (!sight_.sees(s_, draft, begin + t)) scores[t] = kNothing;
      }
      const float max = std::max(x.max, scores.maxCoeff());
      if (max == kNothing) continue;
      const float rescale = x.max == kNothing ? 0 : std::exp(x.max - max);
      Eigen::RowVectorXf weights(count);
      float sum = 0;
      for (std::int64_t t = 0; t < count; ++t) {
        const float e = std::exp(scores[t] - max);
        weights[t] = rounded_to(kernel_.p_format, e * kernel_.p_scale) / kernel_.p_scale;
        sum += kernel_.sum_rounded ? weights[t] : e;
      }
      x.sum *= rescale;
      add_products(weights, values_.middleRows(begin, count), x.sum);
      x.weight = x.weight * rescale + sum;
      x.max = max;
    }
    return x;
  }

  // As matrix units do: kStep products are added exactly, then rounded to fp32 with the accumulator.
  static constexpr Eigen::Index kStep = 16;

  static Eigen::VectorXf products(const Matrix& rows, const Eigen::Map<const Eigen::VectorXf>& x) {
    Eigen::VectorXf sum = Eigen::VectorXf::Zero(rows.rows());
    for (Eigen::Index d = 0; d < rows.cols(); d += kStep) {
      const Eigen::VectorXd exact = rows.middleCols(d, kStep).cast<double>() * x.segment(d, kStep).cast<double>();
      sum = (sum.cast<double>() + exact).cast<float>();
    }
    return sum;
  }

  static void add_products(const Eigen::RowVectorXf& weights, const Matrix& rows, Eigen::RowVectorXf& sum) {
    for (Eigen::Index t = 0; t < rows.rows(); t += kStep) {
      const Eigen::Index count = std::min(kStep, rows.rows() - t);
      const Eigen::RowVectorXd exact =
          weights.segment(t, count).cast<double>() * rows.middleRows(t, count).cast<double>();
      sum = (sum.cast<double>() + exact).cast<float>();
    }
  }

  const RoundedKernel& kernel_;
  const xqacheck_problem& p_;
  const Sight& sight_;
  const Sequence& s_;
  std::uint32_t group_;
  Matrix keys_, values_;
  float scale_ = 1;
};

}  // namespace

xqacheck_numerics RoundedKernel::numerics() const {
  xqacheck_numerics n{};
  n.p_format = p_format;
  n.p_scale = p_scale;
  n.accumulator_bits = 24;
  n.accumulator_truncates = 2;
  n.accumulator_steps = 16;
  n.partial_format = partial_format;
  n.partial_roundings = 1;
  n.p_rescaled = 2;
  n.exp_relative_error = 0x1p-22f;  // an ulp of expf
  n.double_rounded_output = 2;
  n.row_sum_of_rounded_p = sum_rounded ? 1 : 2;
  return n;
}

std::vector<double> run(const RoundedKernel& kernel, const xqacheck_problem& p) {
  const Sight sight(p);
  const Queries queries = make_queries(p, sight, XQACHECK_NONE);
  const Appended appended = make_appended(p, sight);
  const CacheReader reader(p, appended);
  const std::uint32_t group = p.q_heads / p.kv_heads;
  const float out_scale = static_cast<float>(value_of(p.v_scale) * value_of(p.rcp_out_scale));
  std::vector<double> out(std::size_t{p.total_rows} * p.q_heads * p.head_dim_v);
  for (const Sequence& s : sight.sequences()) {
    for (std::uint32_t g = 0; g < p.kv_heads; ++g) {
      const Task task(kernel, p, sight, reader, s, g);
      for (std::uint32_t row = 0; row < s.rows; ++row) {
        for (std::uint32_t head = g * group; head < (g + 1) * group; ++head) {
          const std::uint64_t place = (s.first_row + row) * p.q_heads + head;
          std::vector<float> q(p.head_dim);
          for (std::uint32_t d = 0; d < p.head_dim; ++d)
            q[d] = static_cast<float>(queries.values[place * p.head_dim + d]);
          const float sink = p.sinks.data == nullptr ? kNothing : value_at<float>(p.sinks, "sinks", head);
          const Eigen::RowVectorXf result = task.attend(row, q.data(), sink);
          for (std::uint32_t d = 0; d < p.head_dim_v; ++d) {
            out[place * p.head_dim_v + d] = rounded_to(p.out.dtype, result[d] * out_scale);
          }
        }
      }
    }
  }
  return out;
}

}  // namespace xqacheck::tests
