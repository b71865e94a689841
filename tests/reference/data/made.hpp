// A case made concrete, with readers of real values: what tests of problems start from.
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "reference/case_line.hpp"
#include "reference/formats.hpp"
#include "reference/gather.hpp"
#include "reference/problem.hpp"
#include "reference/shape.hpp"

namespace xqacheck::tests {

class Made {
 public:
  explicit Made(const std::string& line)
      : c(reference::parse_case(line)),
        p(reference::make_problem(c)),
        out(p.out_bytes()),
        lse(p.lse_bytes()),
        d(p.view(out.data(), lse.data())),
        kv(d) {}
  Made(const Made&) = delete;

  // Stored value times scale. `w` is the beam, `ch` the channel.
  double k(std::uint32_t b, std::uint32_t t, std::uint32_t g, std::uint32_t ch, std::uint32_t w = 0) const {
    return element(d.k, c.kv, kv.k_row(b, w, t, g) + ch) * double(c.k_scale);
  }
  double v(std::uint32_t b, std::uint32_t t, std::uint32_t g, std::uint32_t ch, std::uint32_t w = 0) const {
    return element(d.v, c.kv, kv.v_row(b, w, t, g) + ch) * double(c.v_scale);
  }
  double q(std::uint32_t row, std::uint32_t h, std::uint32_t ch) const {
    return element(d.q, c.q, kv.q_row(row, h) + ch);
  }
  // Natural-log score of query head h against token t, scales included.
  double score(std::uint32_t b, std::uint32_t row, std::uint32_t h, std::uint32_t t, std::uint32_t w = 0) const {
    double sum = 0;
    for (std::uint32_t ch = 0; ch < c.dim; ++ch) sum += q(row, h, ch) * k(b, t, h / c.group(), ch, w);
    return sum * double(c.q_scale) / std::sqrt(double(c.dim));
  }
  template <class T>
  const T* data(reference::TensorId id) const {
    return p.tensor(id).as<T>();
  }

  static double element(const xqacheck_tensor& tensor, reference::Dtype dtype, std::uint64_t index) {
    const std::size_t bytes = reference::bytes_of(dtype);
    std::uint16_t bits = 0;
    std::memcpy(&bits, static_cast<const std::byte*>(tensor.data) + index * bytes, bytes);
    return reference::decode(dtype, bits);
  }

  reference::Case c;
  reference::Problem p;
  std::vector<std::byte> out, lse;
  xqacheck_problem d;
  reference::KvView kv;
};

}  // namespace xqacheck::tests
