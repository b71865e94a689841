#include "properties/isolation/appended_rows.hpp"

#include "reference/gather.hpp"

namespace xqacheck::properties::isolation {
namespace {

class Places {
 public:
  explicit Places(const xqacheck_problem& problem) : p_(problem), element_(reference::bytes_of_abi(problem.k.dtype)) {}

  AppendedRows all() const {
    AppendedRows rows;
    const std::size_t count = std::size_t{p_.total_rows} * p_.kv_heads;
    rows.k.resize(count);
    rows.v.resize(count);
    const reference::KvView view(p_);
    for (std::uint32_t request = 0; request < p_.requests; ++request) {
      const std::uint32_t drafts = view.rows(request), length = view.seq_len(request);
      for (std::uint32_t beam = 0; beam < p_.beam_width; ++beam)
        for (std::uint32_t draft = 0; draft < drafts && drafts <= length; ++draft) {
          const std::uint32_t row = view.first_row(request) + beam * drafts + draft;
          const std::uint32_t token = length - drafts + draft;
          for (std::uint32_t head = 0; head < p_.kv_heads && row < p_.total_rows; ++head) {
            const std::size_t index = std::size_t{row} * p_.kv_heads + head;
            rows.k[index] = place(p_.k, page(request, beam, token, 0), p_.k_stride_page, p_.k_stride_token,
                                  p_.k_stride_head, token, head, p_.head_dim);
            rows.v[index] = place(p_.v, page(request, beam, token, p_.table_stride_v), p_.v_stride_page,
                                  p_.v_stride_token, p_.v_stride_head, token, head, p_.head_dim_v);
          }
        }
    }
    return rows;
  }

 private:
  // -1: the table has no such entry.
  std::int64_t page(std::uint32_t request, std::uint32_t beam, std::uint32_t token, std::int64_t table) const {
    if (p_.page_tokens == 0) return std::int64_t{request} * p_.beam_width + beam;
    const std::int64_t entry =
        request * p_.table_stride_request + beam * p_.table_stride_beam + table + token / p_.page_tokens;
    if (entry < 0 || (static_cast<std::uint64_t>(entry) + 1) * sizeof(std::int32_t) > p_.page_table.bytes) return -1;
    return static_cast<const std::int32_t*>(p_.page_table.data)[entry];
  }

  ByteRange place(const xqacheck_tensor& tensor, std::int64_t page, std::int64_t page_stride, std::int64_t token_stride,
                  std::int64_t head_stride, std::uint32_t token, std::uint32_t head, std::uint32_t dim) const {
    const std::uint32_t slot = p_.page_tokens == 0 ? token : token % p_.page_tokens;
    const std::int64_t first = page * page_stride + slot * token_stride + head * head_stride;
    if (page < 0 || first < 0) return {};
    const ByteRange range{static_cast<std::uint64_t>(first) * element_,
                          (static_cast<std::uint64_t>(first) + dim) * element_};
    return range.end <= tensor.bytes ? range : ByteRange{};
  }

  const xqacheck_problem& p_;
  std::uint64_t element_;
};

}  // namespace

AppendedRows appended_rows(const xqacheck_problem& problem) {
  return problem.rope_kind == XQACHECK_ROPE_NONE ? AppendedRows{} : Places(problem).all();
}

}  // namespace xqacheck::properties::isolation
