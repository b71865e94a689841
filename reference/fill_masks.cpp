#include <cstring>

#include "reference/fill.hpp"
#include "reference/philox.hpp"

namespace xqacheck::reference {
namespace {

// One request's rows of mask words, cleared before; `set(i, j)` lets draft i attend draft j.
class Rows {
 public:
  Rows(std::uint32_t* words, std::uint32_t row_words) : words_(words), row_words_(row_words) {}
  void set(std::uint32_t i, std::uint32_t j) { word(i, j / 32) |= 1u << (j % 32); }
  std::uint32_t& word(std::uint32_t i, std::uint32_t w) { return words_[std::size_t{i} * row_words_ + w]; }

 private:
  std::uint32_t* words_;
  std::uint32_t row_words_;
};

const Tree& tree_of(const Case& c, std::uint32_t request) {
  return c.tree.size() == 1 ? c.tree[0] : c.tree[request];
}

void fill_request(const Case& c, std::uint32_t request, Rows rows) {
  const std::uint32_t count = c.rows(request);
  for (std::uint32_t i = 0; i < count; ++i) {
    switch (c.mask) {
      case MaskKind::causal:
        for (std::uint32_t j = 0; j <= i; ++j) rows.set(i, j);
        break;
      case MaskKind::full:
        for (std::uint32_t j = 0; j < count; ++j) rows.set(i, j);
        break;
      case MaskKind::random:
        for (std::uint32_t w = 0; w * 32 < count; ++w) {
          const std::uint32_t live = count - w * 32 >= 32 ? 0xFFFFFFFFu : (1u << (count - w * 32)) - 1;
          rows.word(i, w) = draw4(c.geo, Stream::masks, w, i, request)[0] & live;
        }
        break;
      case MaskKind::tree:
        // Itself and its ancestors: 1-based, 0 is the context.
        for (std::uint32_t node = i + 1; node != 0; node = tree_of(c, request)[node - 1]) rows.set(i, node - 1);
        break;
      case MaskKind::bits:
        rows.word(i, 0) = c.bits.size() == 1 ? c.bits[0][i] : c.bits[request][i];
        break;
      case MaskKind::none:
        break;
    }
  }
}

std::uint32_t depth_of(const Case& c, std::uint32_t request, std::uint32_t i) {
  if (c.mask != MaskKind::tree) return i;
  std::uint32_t depth = 0;
  for (std::uint32_t node = tree_of(c, request)[i]; node != 0; node = tree_of(c, request)[node - 1]) ++depth;
  return depth;
}

}  // namespace

void fill_masks(const Making& m, Problem& p) {
  const Case& c = m.c;
  const Shape& shape = m.shape;
  xqacheck_problem& d = p.description;
  d.mask_kind = c.mask == MaskKind::none     ? XQACHECK_MASK_NONE
                : c.mask == MaskKind::causal ? XQACHECK_MASK_CAUSAL
                                             : XQACHECK_MASK_TREE;
  d.mask_words = shape.mask_words;
  d.ragged = c.draft.size() > 1;
  if (d.ragged) {
    d.row_offsets.dtype = XQACHECK_UINT32;
    HostBuffer& offsets = p.tensor(TensorId::row_offsets) = HostBuffer(shape.first_row.size() * sizeof(std::uint32_t));
    std::memcpy(offsets.data(), shape.first_row.data(), offsets.size());
  }
  if (c.mask == MaskKind::none) return;
  d.mask.dtype = XQACHECK_UINT32;
  const std::size_t row_bytes = shape.mask_words * sizeof(std::uint32_t);
  HostBuffer& mask = p.tensor(TensorId::mask) = HostBuffer(shape.total_rows() * row_bytes);
  for (std::uint32_t b = 0; b < shape.requests; ++b) {
    const std::size_t first_word = std::size_t{shape.first_row[b]} * shape.mask_words;
    fill_request(c, b, Rows(mask.as<std::uint32_t>() + first_word, shape.mask_words));
  }
  if (d.mask_kind != XQACHECK_MASK_TREE) return;
  d.depths.dtype = XQACHECK_UINT32;
  HostBuffer& depths = p.tensor(TensorId::depths) = HostBuffer(shape.total_rows() * sizeof(std::uint32_t));
  for (std::uint32_t b = 0; b < shape.requests; ++b) {
    for (std::uint32_t i = 0; i < c.rows(b); ++i) {
      depths.as<std::uint32_t>()[shape.first_row[b] + i] = depth_of(c, b, i);
    }
  }
}

}  // namespace xqacheck::reference
