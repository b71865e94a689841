#include "reference/cache_check.hpp"

#include <cmath>

#include "reference/golden/append.hpp"
#include "reference/golden/cache_reader.hpp"
#include "reference/golden/sequence.hpp"
#include "reference/golden/tensor.hpp"
#include "reference/judge.hpp"

namespace xqacheck::reference {
namespace {

class CacheCheck {
 public:
  CacheCheck(const xqacheck_problem& p, std::size_t most)
      : p_(p), most_(most), sight_(p), appended_(make_appended(p, sight_)), places_(p, nothing_) {}

  std::vector<CacheFault> run(const xqacheck_tensor& k, const xqacheck_tensor& v) {
    if (!appended_.present()) return {};
    for (const Sequence& s : sight_.sequences()) {
      for (std::uint32_t i = 0; i < s.rows && s.length > 0; ++i) {
        for (std::uint32_t g = 0; g < p_.kv_heads; ++g) {
          check_row(s, i, g, k, false);
          if (p_.kv_aliased == 0) check_row(s, i, g, v, true);
        }
      }
    }
    return std::move(faults_);
  }

  std::uint64_t checked() const { return checked_; }

 private:
  // A beam appends to its own pages, whatever the index table says about older tokens.
  void check_row(const Sequence& s, std::uint32_t i, std::uint32_t g, const xqacheck_tensor& tensor, bool is_v) {
    const std::int64_t token = s.drafts_begin() + i;
    const std::uint32_t dim = is_v ? p_.head_dim_v : p_.head_dim;
    const std::int64_t first = places_.own_index(s, g, token, is_v);
    const std::byte* stored = elements(tensor, is_v ? "v after the run" : "k after the run", first, dim);
    const std::size_t from = ((s.first_row + i) * p_.kv_heads + g) * dim;
    const double* exact = (is_v ? appended_.v_exact : appended_.k_exact).data() + from;
    const double* slack = (is_v ? appended_.v_slack : appended_.k_slack).data() + from;
    for (std::uint32_t d = 0; d < dim; ++d) {
      ++checked_;
      const double got = element(stored + d * std::size_t{bytes_of(tensor.dtype)}, tensor.dtype), want = exact[d];
      const double bound = output_rounding(got, want, tensor.dtype) + slack[d];
      const bool right = std::isfinite(want) ? std::fabs(got - want) <= bound : special_fits(got, want, tensor.dtype);
      if (right || faults_.size() >= most_) continue;
      faults_.push_back({is_v, s.request, static_cast<std::uint32_t>(s.first_row + i), g, d, token,
                         static_cast<std::uint64_t>(first) + d, got, want, bound});
    }
  }

  // int8 holds neither NaN nor infinity: anything goes for NaN, the largest number for infinity.
  static bool special_fits(double got, double want, std::uint32_t dtype) {
    if (std::isnan(want)) return std::isnan(got) || dtype == XQACHECK_INT8;
    return got == want || (format_of(dtype).saturates && got == rounded(format_of(dtype), want));
  }

  const xqacheck_problem& p_;
  std::size_t most_;
  Sight sight_;
  Appended appended_, nothing_;
  CacheReader places_;  // of the tensors as they are, without the appended tokens
  std::vector<CacheFault> faults_;
  std::uint64_t checked_ = 0;
};

}  // namespace

std::vector<CacheFault> check_cache(const xqacheck_problem& problem, const std::byte* k, std::size_t k_bytes,
                                    const std::byte* v, std::size_t v_bytes, std::size_t most, std::uint64_t* checked) {
  xqacheck_tensor k_tensor = problem.k, v_tensor = problem.v;
  k_tensor.data = const_cast<std::byte*>(k);
  k_tensor.bytes = k_bytes;
  v_tensor.data = const_cast<std::byte*>(v);
  v_tensor.bytes = v_bytes;
  CacheCheck check(problem, most);
  std::vector<CacheFault> faults = check.run(k_tensor, v_tensor);
  if (checked != nullptr) *checked = check.checked();
  return faults;
}

}  // namespace xqacheck::reference
