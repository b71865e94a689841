#include "properties/isolation/pattern.hpp"

#include <algorithm>
#include <cstring>

namespace xqacheck::properties::isolation {
namespace {

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): a bijection whose output bits all depend on all input bits.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Largest finite value of the format in every element; for raw bytes that of bf16, also large as fp32.
std::uint64_t huge_word(std::uint32_t dtype) {
  switch (dtype) {
    case XQACHECK_FP16:
      return 0x7bff7bff7bff7bffu;
    case XQACHECK_FP32:
      return 0x7f7fffff7f7fffffu;
    case XQACHECK_E4M3:
      return 0x7e7e7e7e7e7e7e7eu;
    case XQACHECK_INT8:
      return 0x7f7f7f7f7f7f7f7fu;
    default:
      return 0x7f7f7f7f7f7f7f7fu;
  }
}

// The eight bytes at offset 8 * index of the slot.
std::uint64_t word(const Pattern& pattern, std::uint64_t index) {
  switch (pattern.fill) {
    case Fill::zero:
      return 0;
    case Fill::huge:
      return huge_word(pattern.dtype);
    default:
      break;
  }
  // The odd constant is that of SplitMix64's counter; slots get streams of their own.
  const std::uint64_t hash = mix(pattern.seed + 0x9e3779b97f4a7c15u * (index + (std::uint64_t{pattern.slot} << 48)));
  return pattern.fill == Fill::random ? hash : 0x7fff7fff7fff7fffu | (hash & 0x8000800080008000u);
}

// Calls action(distance from the start, bytes, pointer to the pattern's bytes) for runs of up to eight bytes.
template <class Action>
void for_words(const Pattern& pattern, std::uint64_t offset, std::uint64_t bytes, Action action) {
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t inside = (offset + done) % 8;
    const std::uint64_t value = word(pattern, (offset + done) / 8);
    const std::uint64_t size = std::min(8 - inside, bytes - done);
    action(done, size, reinterpret_cast<const std::byte*>(&value) + inside);
    done += size;
  }
}

}  // namespace

void write_pattern(const Pattern& pattern, std::uint64_t offset, std::byte* destination, std::uint64_t bytes) {
  if (pattern.fill == Fill::zero) {
    std::memset(destination, 0, bytes);
    return;
  }
  for_words(pattern, offset, bytes, [&](std::uint64_t at, std::uint64_t size, const std::byte* value) {
    std::memcpy(destination + at, value, size);
  });
}

std::optional<Mismatch> find_mismatch(const Pattern& pattern, std::uint64_t offset, const std::byte* actual,
                                      std::uint64_t bytes) {
  Mismatch mismatch;
  for_words(pattern, offset, bytes, [&](std::uint64_t at, std::uint64_t size, const std::byte* value) {
    if (std::memcmp(actual + at, value, size) == 0) return;
    for (std::uint64_t i = 0; i < size; ++i)
      if (actual[at + i] != value[i] && mismatch.count++ == 0) mismatch.first = at + i;
  });
  if (mismatch.count == 0) return std::nullopt;
  return mismatch;
}

void fill_around(const Pattern& canary, const SlotPlan& plan, std::byte* slot) {
  const std::uint64_t end = plan.data + plan.bytes;
  if (plan.map_begin == plan.map_end) return;
  write_pattern(canary, plan.map_begin, slot + plan.map_begin, plan.data - plan.map_begin);
  write_pattern(canary, end, slot + end, plan.map_end - end);
}

AroundMismatch check_around(const Pattern& canary, const SlotPlan& plan, const std::byte* slot) {
  const std::uint64_t end = plan.data + plan.bytes;
  if (plan.map_begin == plan.map_end) return {};
  return {find_mismatch(canary, plan.map_begin, slot + plan.map_begin, plan.data - plan.map_begin),
          find_mismatch(canary, end, slot + end, plan.map_end - end)};
}

}  // namespace xqacheck::properties::isolation
