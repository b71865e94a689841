// DataSource: the real values of q, K and V before they are stored, row by row, for every data kind. See doc/data.md.
//
// Each number is a pure function of (seed, tensor, request, beam, token, head, channel): it does not depend on the
// shape around it, so a request keeps its data in another batch, page size, layout or table. Exceptions, where the kind
// calls for it: onehot and grow look at the request's length, and ints, denormal and grow at the format and scale of
// the cache.
#pragma once

#include <cstdint>
#include <memory>

#include "reference/case.hpp"

namespace xqacheck::reference {

struct FileTensors;  // q, K and V of Case::file, see reference/file_tensors.hpp

// Where a row lies: `token` is the draft row for q.
struct RowPlace {
  std::uint32_t request = 0, beam = 0, token = 0, head = 0;
};

class DataSource {
 public:
  // `c` must outlive the source. Reads Case::file if there is one.
  explicit DataSource(const Case& c);
  ~DataSource();

  void q_row(const RowPlace& at, float* out) const;  // dim values
  void k_row(const RowPlace& at, float* out) const;  // dim values
  void v_row(const RowPlace& at, float* out) const;  // dim_v values
  // A token past the end of its request, by the case's tail kind (K and V); not for TailKind::nan, which is poison.
  void tail_row(bool is_v, const RowPlace& at, float* out) const;

 private:
  void kind_q_row(const RowPlace& at, float* out) const;
  void kind_k_row(const RowPlace& at, float* out) const;
  void kind_v_row(const RowPlace& at, float* out) const;

  const Case& case_;
  const float* normals_;
  float sqrt_dim_;
  std::unique_ptr<FileTensors> file_;
};

}  // namespace xqacheck::reference
