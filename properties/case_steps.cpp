#include "properties/case_steps.hpp"

#include <algorithm>

#include "reference/case_line.hpp"

namespace xqacheck::properties {
namespace {

using namespace reference;

template <class T>
void erase_range(std::vector<T>& list, std::size_t first, std::size_t count) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(first),
             list.begin() + static_cast<std::ptrdiff_t>(first + count));
}

// The lowest `rows` drafts of a mask row.
std::uint32_t low_bits(std::uint32_t rows) {
  return rows >= 32 ? ~0u : (1u << rows) - 1u;
}

void cut_tree(Tree& tree, std::uint32_t rows) {
  if (tree.size() > rows) tree.resize(rows);  // a parent comes before its children, so the rest stays a tree
}

void cut_bits(std::vector<std::uint32_t>& bits, std::uint32_t rows) {
  if (bits.size() > rows) bits.resize(rows);
  for (std::uint32_t& row : bits) row &= low_bits(rows);
}

}  // namespace

bool is_consistent(const Case& c) {
  try {
    validate(c);
    return true;
  } catch (const CaseError&) {
    return false;
  }
}

void drop_requests(Case& c, std::size_t first, std::size_t count) {
  const std::size_t requests = c.lens.size();
  const auto drop = [&](auto& list) {
    if (requests > 1 && list.size() == requests) erase_range(list, first, count);
  };
  drop(c.draft), drop(c.tree), drop(c.bits);
  std::erase_if(c.inject, [&](const Injection& i) { return i.request >= first && i.request < first + count; });
  for (Injection& i : c.inject)
    if (i.request >= first + count) i.request -= static_cast<std::uint32_t>(count);
  erase_range(c.lens, first, count);
}

void keep_requests(Case& c, std::size_t first, std::size_t count) {
  drop_requests(c, first + count, c.lens.size() - first - count);
  drop_requests(c, 0, first);
}

void set_page(Case& c, std::uint32_t page) {
  c.page = page;
  if (page != 0) return;
  c.unused = Case{}.unused, c.table_pad = 0;  // a contiguous cache has no table
}

void set_kv(Case& c, Dtype kv) {
  c.kv = kv;
  c.k_scale = c.v_scale = default_kv_scale(kv);
  if (!is_16bit(kv) && c.data == DataKind::neginf) c.data = DataKind::normal;
}

void set_draft(Case& c, std::size_t request, std::uint32_t rows) {
  const std::size_t entry = c.draft.size() == 1 ? 0 : request;
  c.draft[entry] = rows;
  if (entry < c.tree.size()) cut_tree(c.tree[entry], rows);
  if (entry < c.bits.size()) cut_bits(c.bits[entry], rows);
}

void limit_drafts(Case& c, std::uint32_t rows) {
  for (std::size_t i = 0; i < c.draft.size(); ++i) set_draft(c, i, std::min(c.draft[i], rows));
}

void set_all_drafts(Case& c, std::uint32_t rows) {
  limit_drafts(c, rows);
  c.draft.resize(1);
  if (!c.tree.empty()) c.tree.resize(1);
  if (!c.bits.empty()) c.bits.resize(1);
}

}  // namespace xqacheck::properties
