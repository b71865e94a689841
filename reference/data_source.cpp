#include "reference/data_source.hpp"

#include <algorithm>
#include <cmath>

#include "reference/file_tensors.hpp"
#include "reference/formats.hpp"
#include "reference/normal_table.hpp"
#include "reference/random_row.hpp"

namespace xqacheck::reference {
namespace {

// What recorded cases call "max": as large as a tail may be while products with it stay finite in every format.
constexpr float kLargeTail = 448, kLargeTailInt8 = 113;

}  // namespace

DataSource::DataSource(const Case& c)
    : case_(c), normals_(normal_table()), sqrt_dim_(std::sqrt(static_cast<float>(c.dim))) {
  if (!c.file.empty()) file_ = std::make_unique<FileTensors>(load_file_tensors(c));
}

DataSource::~DataSource() = default;

void DataSource::q_row(const RowPlace& at, float* out) const {
  if (file_) return file_->q_row(at, out);
  kind_q_row(at, out);
}

void DataSource::k_row(const RowPlace& at, float* out) const {
  if (file_) return file_->k_row(at, out);
  kind_k_row(at, out);
}

void DataSource::v_row(const RowPlace& at, float* out) const {
  if (file_) return file_->v_row(at, out);
  kind_v_row(at, out);
}

void DataSource::tail_row(bool is_v, const RowPlace& at, float* out) const {
  const std::uint32_t count = is_v ? case_.dim_v : case_.dim;
  const Stream stream = is_v ? Stream::v : Stream::k;
  const float scale = is_v ? case_.v_scale : case_.k_scale;
  if (case_.tail == TailKind::zero) {
    std::fill(out, out + count, 0.0f);
  } else if (case_.tail == TailKind::max) {
    const float size = (case_.kv == Dtype::int8 ? kLargeTailInt8 : kLargeTail) * scale;
    for_each_random16(case_.seed, stream, at, count,
                      [&](std::uint32_t d, std::uint32_t r) { out[d] = r & 1 ? size : -size; });
  } else {
    for_each_random16(case_.seed, stream, at, count, [&](std::uint32_t d, std::uint32_t r) { out[d] = normals_[r]; });
  }
}

}  // namespace xqacheck::reference
