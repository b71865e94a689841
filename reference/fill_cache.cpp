#include <algorithm>
#include <cstring>

#include "reference/fill.hpp"
#include "reference/formats.hpp"

namespace xqacheck::reference {
namespace {

// Tokens of one work item: pieces of a page, so that a single long contiguous request is shared by the threads too.
constexpr std::uint32_t kItemTokens = 64;

struct Item {
  const UsedPage* page;
  std::uint32_t first, count;  // tokens inside the page
};

std::vector<Item> items_of(const Making& m) {
  std::vector<Item> items;
  for (const UsedPage& page : m.plan.used) {
    for (std::uint32_t t = 0; t < m.shape.page_tokens; t += kItemTokens) {
      items.push_back({&page, t, std::min(kItemTokens, m.shape.page_tokens - t)});
    }
  }
  return items;
}

// Poison in every page that exists, or in the named ones of a far pool.
void poison(const Making& m, HostBuffer& pool, std::size_t page_bytes) {
  const int byte = poison_byte(m.c.kv);
  if (m.c.table != TableKind::far) {
    const auto blocks = static_cast<std::int64_t>(m.plan.pages_in_pool);
#pragma omp parallel for schedule(static) if (pool.size() > kParallelElements)
    for (std::int64_t i = 0; i < blocks; ++i) std::memset(pool.data() + i * page_bytes, byte, page_bytes);
    return;
  }
  for (const UsedPage& page : m.plan.used) {
    std::memset(pool.data() + page.k_page * page_bytes, byte, page_bytes);
    std::memset(pool.data() + page.v_page * page_bytes, byte, page_bytes);
  }
  for (std::uint64_t page : m.plan.unused) std::memset(pool.data() + page * page_bytes, byte, page_bytes);
}

class Filler {
 public:
  Filler(const Making& m, HostBuffer& pool, bool is_v)
      : m_(m),
        pool_(pool),
        is_v_(is_v),
        strides_(is_v ? m.shape.v : m.shape.k),
        channels_(is_v ? m.c.dim_v : m.c.dim),
        scale_(is_v ? m.c.v_scale : m.c.k_scale) {}

  void fill(const Item& item) const {
    const Case& c = m_.c;
    const UsedPage& page = *item.page;
    const std::uint32_t cached = cached_tokens(c, page.request);
    const std::uint64_t id = is_v_ ? page.v_page : page.k_page;
    float values[kMaxDim];
    for (std::uint32_t t = item.first; t < item.first + item.count; ++t) {
      const std::uint32_t token = page.first_token + t;
      const bool live = t < page.tokens;
      if (live && token >= cached) continue;           // to be appended by the kernel: poison until then
      if (!live && c.tail == TailKind::nan) continue;  // poison is NaN
      for (std::uint32_t g = 0; g < c.kv_heads; ++g) {
        const RowPlace at{page.request, page.beam, token, g};
        if (!live) {
          m_.source.tail_row(is_v_, at, values);
        } else if (is_v_) {
          m_.source.v_row(at, values);
        } else {
          m_.source.k_row(at, values);
        }
        const std::int64_t element =
            static_cast<std::int64_t>(id) * strides_.page + g * strides_.head + t * strides_.token;
        encode_row(c.kv, values, channels_, scale_, pool_.data() + element * static_cast<std::int64_t>(bytes_of(c.kv)));
      }
    }
  }

 private:
  static constexpr std::size_t kMaxDim = 576;
  const Making& m_;
  HostBuffer& pool_;
  bool is_v_;
  KvStrides strides_;
  std::uint32_t channels_;
  float scale_;
};

void fill_tensor(const Making& m, const std::vector<Item>& items, HostBuffer& pool, bool is_v) {
  const Filler filler(m, pool, is_v);
  const auto count = static_cast<std::int64_t>(items.size());
  const std::uint64_t elements = items.size() * kItemTokens * m.c.kv_heads * m.c.dim;
#pragma omp parallel for schedule(dynamic, 16) if (elements > kParallelElements)
  for (std::int64_t i = 0; i < count; ++i) filler.fill(items[i]);
}

}  // namespace

void fill_cache(const Making& m, Problem& p) {
  const Case& c = m.c;
  xqacheck_problem& d = p.description;
  d.page_tokens = c.page;
  d.pages_in_pool = c.page == 0 ? 0 : static_cast<std::uint32_t>(m.plan.pages_in_pool);
  d.table_columns = m.shape.columns;
  d.kv_aliased = c.mla();
  d.k.dtype = d.v.dtype = abi_dtype(c.kv);
  d.k_stride_page = m.shape.k.page, d.k_stride_head = m.shape.k.head, d.k_stride_token = m.shape.k.token;
  d.v_stride_page = m.shape.v.page, d.v_stride_head = m.shape.v.head, d.v_stride_token = m.shape.v.token;
  if (c.page != 0) {
    d.page_table.dtype = XQACHECK_INT32;
    d.table_stride_request = m.shape.table_stride_request;
    d.table_stride_beam = m.shape.table_stride_beam;
    d.table_stride_v = m.shape.table_stride_v;
    HostBuffer& table = p.tensor(TensorId::page_table) = HostBuffer(m.plan.table.size() * sizeof(std::int32_t));
    std::memcpy(table.data(), m.plan.table.data(), table.size());
  }

  const std::vector<Item> items = items_of(m);
  const std::size_t k_page_bytes = m.shape.k.page * bytes_of(c.kv), v_page_bytes = m.shape.v.page * bytes_of(c.kv);
  HostBuffer& k = p.tensor(TensorId::k) = HostBuffer(m.plan.pages_in_pool * k_page_bytes);
  poison(m, k, k_page_bytes);
  fill_tensor(m, items, k, false);
  if (c.mla()) return;
  if (c.layout == Layout::pool) return fill_tensor(m, items, k, true);
  HostBuffer& v = p.tensor(TensorId::v) = HostBuffer(m.plan.pages_in_pool * v_page_bytes);
  poison(m, v, v_page_bytes);
  fill_tensor(m, items, v, true);
}

}  // namespace xqacheck::reference
