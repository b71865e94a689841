#include "emulation/ptx/check/shadow.hpp"

namespace xqacheck::ptx {

Word& Shadow::byte_of(Word& word, std::uint32_t byte) {
  if (word.split == 0) {
    std::array<Word, 4> parts{};
    for (std::uint32_t i = 0; i < 4; ++i) {
      if ((word.bytes >> i & 1) == 0) continue;
      parts[i] = word;
      parts[i].bytes = static_cast<std::uint8_t>(1u << i);
      if (word.readers == 0) continue;
      const std::vector<Past> copy = readers(word);
      parts[i].readers = 0;
      readers(parts[i]) = copy;
    }
    drop_readers(word);
    splits_.push_back(parts);
    word = Word{};
    word.split = static_cast<std::uint32_t>(splits_.size());
  }
  Word& part = splits_[word.split - 1][byte];
  part.bytes = static_cast<std::uint8_t>(1u << byte);
  return part;
}

std::vector<Past>& Shadow::readers(Word& word) {
  if (word.readers == 0) {
    if (free_lists_.empty()) {
      lists_.emplace_back();
      free_lists_.push_back(static_cast<std::uint32_t>(lists_.size()));
    }
    word.readers = free_lists_.back();
    free_lists_.pop_back();
  }
  return lists_[word.readers - 1];
}

void Shadow::drop_readers(Word& word) {
  if (word.readers == 0) return;
  lists_[word.readers - 1].clear();
  free_lists_.push_back(word.readers);
  word.readers = 0;
}

void Shadow::forget(std::uint64_t offset, std::uint64_t count) {
  const std::uint64_t end = offset + count;
  while (offset < end) {
    const std::uint64_t word = offset / 4, page = word / kPageWords;
    if (pages_[page] == nullptr) {
      offset = (page + 1) * kPageWords * 4;
      continue;
    }
    const std::uint64_t next = std::min(end, (word + 1) * 4);
    touch(offset, next - offset, [this](Word& part) {
      drop_readers(part);
      part = Word{};
    });
    offset = next;
  }
}

namespace {

// Calls f(index of the 64-bit piece, mask, first bit) for the pieces of a range of bits.
template <class Function>
void pieces(std::uint64_t offset, std::uint64_t count, Function f) {
  const std::uint64_t end = offset + count;
  while (offset < end) {
    const std::uint64_t bit = offset % 64, length = std::min<std::uint64_t>(64 - bit, end - offset);
    const std::uint64_t ones = length == 64 ? ~0ull : (1ull << length) - 1;
    f(offset / 64, ones << bit, offset);
    offset += length;
  }
}

}  // namespace

void Written::assign(std::uint64_t offset, std::uint64_t count, bool value) {
  const std::uint64_t end = offset + count;
  while (offset < end) {
    const std::uint64_t begin = offset / kPageBytes * kPageBytes;
    const std::uint64_t stop = std::min(end, begin + kPageBytes);
    Page& page = pages_[offset / kPageBytes];
    if (offset == begin && stop == std::min(begin + kPageBytes, bytes_)) {
      page.bits.reset();
      page.all = value;
    } else if (page.bits != nullptr || page.all != value) {
      if (page.bits == nullptr) {
        page.bits = std::make_unique<std::uint64_t[]>(kPageBytes / 64);
        if (page.all) std::fill_n(page.bits.get(), kPageBytes / 64, ~0ull);
      }
      pieces(offset - begin, stop - offset, [&](std::uint64_t i, std::uint64_t mask, std::uint64_t) {
        page.bits[i] = value ? page.bits[i] | mask : page.bits[i] & ~mask;
      });
    }
    offset = stop;
  }
}

void Written::set(std::uint64_t offset, std::uint64_t count) {
  assign(offset, count, true);
}

void Written::clear(std::uint64_t offset, std::uint64_t count) {
  assign(offset, count, false);
}

std::uint64_t Written::first_hole(std::uint64_t offset, std::uint64_t count) const {
  const std::uint64_t from = offset, end = offset + count;
  while (offset < end) {
    const std::uint64_t begin = offset / kPageBytes * kPageBytes;
    const std::uint64_t stop = std::min(end, begin + kPageBytes);
    const Page& page = pages_[offset / kPageBytes];
    if (page.bits == nullptr) {
      if (!page.all) return offset - from;
    } else {
      std::uint64_t hole = ~0ull;
      pieces(offset - begin, stop - offset, [&](std::uint64_t i, std::uint64_t mask, std::uint64_t) {
        if (hole != ~0ull || (page.bits[i] & mask) == mask) return;
        hole = i * 64 + static_cast<std::uint64_t>(__builtin_ctzll(mask & ~page.bits[i]));
      });
      if (hole != ~0ull) return begin + hole - from;
    }
    offset = stop;
  }
  return count;
}

}  // namespace xqacheck::ptx
