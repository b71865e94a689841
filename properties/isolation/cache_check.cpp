#include "properties/isolation/cache_check.hpp"

#include <algorithm>
#include <cstring>

#include "properties/isolation/appended_rows.hpp"
#include "reference/gather.hpp"

namespace xqacheck::properties::isolation {
namespace {

using reference::HostBuffer;

std::vector<std::byte> gather(const std::vector<ByteRange>& rows, const std::byte* tensor, std::uint64_t row_bytes) {
  std::vector<std::byte> packed(rows.size() * row_bytes);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].end - rows[i].begin == row_bytes)
      std::memcpy(packed.data() + i * row_bytes, tensor + rows[i].begin, row_bytes);
  return packed;
}

void compare(const std::byte* before, const std::byte* after, std::uint64_t begin, std::uint64_t end, Damage& damage) {
  if (begin >= end || std::memcmp(before + begin, after + begin, end - begin) == 0) return;
  for (std::uint64_t i = begin; i < end; ++i)
    if (before[i] != after[i] && damage.bytes++ == 0) damage.offset = static_cast<std::int64_t>(i);
}

// `allowed` ascending; bytes of [begin, end) outside of it must be equal. A pool of gigabytes is compared where it was
// written before the run.
Damage compare_outside(const HostBuffer& owner, const std::byte* before, const std::byte* after, std::uint64_t bytes,
                       const std::vector<ByteRange>& allowed, const std::string& name) {
  Damage damage{"input " + name, 0, 0};
  const auto shift = static_cast<std::uint64_t>(before - owner.data());
  for (const HostBuffer::Range& range : owner.written_ranges()) {
    std::uint64_t at = std::max<std::uint64_t>(range.offset, shift) - shift;
    const std::uint64_t range_end =
        std::min<std::uint64_t>(std::max<std::uint64_t>(range.offset + range.bytes, shift) - shift, bytes);
    auto hole = std::lower_bound(allowed.begin(), allowed.end(), at,
                                 [](const ByteRange& r, std::uint64_t x) { return r.end <= x; });
    for (; at < range_end; ++hole) {
      if (hole == allowed.end() || hole->begin >= range_end) {
        compare(before, after, at, range_end, damage);
        break;
      }
      compare(before, after, at, hole->begin, damage);
      at = std::max(at, hole->end);
    }
  }
  return damage;
}

std::vector<ByteRange> sorted(std::vector<ByteRange> ranges) {
  std::erase_if(ranges, [](const ByteRange& r) { return r.begin == r.end; });
  std::sort(ranges.begin(), ranges.end(), [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  return ranges;
}

const HostBuffer& owner_of(const reference::Problem& problem, const void* data) {
  const auto* byte = static_cast<const std::byte*>(data);
  const HostBuffer& k = problem.tensor(reference::TensorId::k);
  return byte >= k.data() && byte < k.data() + k.size() ? k : problem.tensor(reference::TensorId::v);
}

}  // namespace

void check_cache(const reference::Problem& problem, const std::byte* k_after, const std::byte* v_after,
                 Outcome& outcome) {
  static std::byte nowhere;
  const xqacheck_problem view = problem.view(&nowhere, &nowhere);
  if (view.rope_kind == XQACHECK_ROPE_NONE) return;
  AppendedRows rows;
  try {
    rows = appended_rows(view);
  } catch (const reference::GatherError&) {
    return;  // a malformed problem: there is no right place to append to
  }
  const std::uint64_t element = view.k.bytes == 0 ? 1 : reference::bytes_of_abi(view.k.dtype);
  outcome.k_appended = gather(rows.k, k_after, view.head_dim * element);
  outcome.v_appended = gather(rows.v, v_after, view.head_dim_v * element);

  const auto* k = static_cast<const std::byte*>(view.k.data);
  const auto* v = static_cast<const std::byte*>(view.v.data);
  // K and V of one pool: whatever lies in either's rows may change, and the pool is compared once.
  std::vector<ByteRange> allowed_k = rows.k, allowed_v = rows.v;
  const bool one_pool = &owner_of(problem, k) == &owner_of(problem, v);
  if (one_pool) {
    const std::int64_t shift = v - k;
    for (const ByteRange& r : rows.v)
      if (r.end > r.begin)
        allowed_k.push_back({static_cast<std::uint64_t>(static_cast<std::int64_t>(r.begin) + shift),
                             static_cast<std::uint64_t>(static_cast<std::int64_t>(r.end) + shift)});
  }
  const Damage k_damage = compare_outside(owner_of(problem, k), k, k_after, view.k.bytes, sorted(allowed_k), "k");
  if (k_damage.bytes != 0) outcome.damage.push_back(k_damage);
  if (one_pool) return;
  const Damage v_damage = compare_outside(owner_of(problem, v), v, v_after, view.v.bytes, sorted(allowed_v), "v");
  if (v_damage.bytes != 0) outcome.damage.push_back(v_damage);
}

}  // namespace xqacheck::properties::isolation
