// What the checks remember of each byte: who wrote it last, who has read it since, whether anybody has written it at
// all, and whether an asynchronous copy is on its way to it.
//
// The unit is a word of four bytes; a word whose bytes have different histories is split into four. Readers that
// nothing orders among each other are kept in a list of their own (FastTrack: Flanagan and Freund, PLDI 2009).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "emulation/ptx/check/clock.hpp"

namespace xqacheck::ptx {

// How strong an access is. Two strong accesses whose scopes include each other do not race.
enum class Strength : std::uint8_t { weak, strong_cta, strong_gpu, copy };  // copy: written by an asynchronous copy

struct Past {  // one earlier access
  Epoch epoch;
  std::uint32_t instruction = 0;
  Strength strength = Strength::weak;
};

struct Word {
  Past write, read;
  std::uint32_t readers = 0;  // index + 1 of a list of readers; 0: `read` alone
  std::uint32_t split = 0;    // index + 1 of four words, one a byte
  std::uint32_t flight = 0;   // id of the asynchronous copy that will write it
  std::uint8_t bytes = 0;     // which bytes the history is of; 0: no history
};

class Shadow {
 public:
  explicit Shadow(std::uint64_t bytes) : pages_((bytes / 4) / kPageWords + 1) {}

  // Calls f(Word&) for every history that bytes [offset, offset + count) have.
  template <class Function>
  void touch(std::uint64_t offset, std::uint64_t count, Function f) {
    const std::uint64_t end = offset + count;
    while (offset < end) {
      const std::uint32_t from = offset & 3,
                          to = static_cast<std::uint32_t>(std::min<std::uint64_t>(4, from + (end - offset)));
      const auto mask = static_cast<std::uint8_t>((1u << to) - (1u << from));
      Word& word = at(offset / 4);
      if (word.split == 0 && (word.bytes == mask || word.bytes == 0)) {
        word.bytes = mask;
        f(word);
      } else {
        for (std::uint32_t i = from; i < to; ++i) f(byte_of(word, i));
      }
      offset += to - from;
    }
  }
  // The readers of a word beyond `read`, which nothing orders among each other.
  std::vector<Past>& readers(Word& word);  // made if there are none
  void drop_readers(Word& word);
  // Forgets the histories (the host has written there).
  void forget(std::uint64_t offset, std::uint64_t count);

 private:
  static constexpr std::uint64_t kPageWords = 1024;  // 64 KiB of history: most memory is never touched
  Word& at(std::uint64_t word) {
    auto& page = pages_[word / kPageWords];
    if (page == nullptr) page = std::make_unique<Word[]>(kPageWords);
    return page[word % kPageWords];
  }
  Word& byte_of(Word& word, std::uint32_t byte);

  std::vector<std::unique_ptr<Word[]>> pages_;
  std::deque<std::array<Word, 4>> splits_;
  std::deque<std::vector<Past>> lists_;
  std::vector<std::uint32_t> free_lists_;
};

// One bit a byte: has it been written? Pages that are written in one go, as pools of many GiB are, hold no bits.
class Written {
 public:
  explicit Written(std::uint64_t bytes) : bytes_(bytes), pages_((bytes + kPageBytes - 1) / kPageBytes) {}
  void set(std::uint64_t offset, std::uint64_t count);
  void clear(std::uint64_t offset, std::uint64_t count);
  // First byte of the range that is not written; `count` if all are.
  std::uint64_t first_hole(std::uint64_t offset, std::uint64_t count) const;

 private:
  static constexpr std::uint64_t kPageBytes = std::uint64_t{1} << 15;  // 4 KiB of bits
  struct Page {
    bool all = false;                       // without bits: what holds for every byte
    std::unique_ptr<std::uint64_t[]> bits;  // null: all bytes alike
  };
  void assign(std::uint64_t offset, std::uint64_t count, bool value);

  std::uint64_t bytes_;
  std::vector<Page> pages_;
};

}  // namespace xqacheck::ptx
