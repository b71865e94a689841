// Code: which sign every slot of the V cache holds in every channel of every coded run: -1, 0 or +1.
//
// Slots are grouped in blocks of 16 tokens (8 where pages have 8), within one page. A block's signs are a random
// balanced word, so that any sum over whole blocks stays small in whatever order tiles, warps and splits add them; in a
// share of the blocks, drawn for each channel, one sign is missing, so that whole blocks, tiles and pages show as well.
// Blocks that no request owns hold random, unbalanced signs. Channel 0 of every run weighs the row: +1 or 0 only.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/gather.hpp"
#include "reference/golden/sequence.hpp"

namespace xqacheck::properties::certificate {

inline constexpr std::uint32_t kNobody = 0xFFFFFFFFu;

// Signs of one block in one channel: bit i is token i of the block.
struct BlockSigns {
  std::uint16_t plus = 0, minus = 0;
  int at(std::uint32_t token) const { return ((plus >> token) & 1) - ((minus >> token) & 1); }
};

// Where the tokens of V lie: slot = page * tokens_of_page + place in the page; block = 16 (or 8) slots of one page.
class Slots {
 public:
  explicit Slots(const xqacheck_problem& problem);

  std::uint64_t pages() const { return pages_; }
  std::uint32_t page_tokens() const { return page_tokens_; }  // of a whole request where the cache is contiguous
  std::uint32_t block_tokens() const { return block_tokens_; }
  std::uint64_t blocks() const { return pages_ * blocks_of_page_; }
  std::uint64_t block(std::uint64_t page, std::uint32_t in_page) const {
    return page * blocks_of_page_ + in_page / block_tokens_;
  }
  std::uint32_t in_block(std::uint32_t in_page) const { return in_page % block_tokens_; }

  // Of the request that owns a block first: place among its blocks, its length in tokens, and the tokens that the
  // narrowest of its rows may see. kNobody: no request owns it.
  struct Owner {
    std::uint32_t index = kNobody, length = 0, seen = 0;
  };
  const Owner& owner(std::uint64_t block) const { return owners_[block]; }
  bool holds_k(std::uint64_t page) const { return !k_pages_.empty() && k_pages_[page]; }  // of the pool of both

 private:
  void own(const xqacheck_problem& problem);

  std::uint64_t pages_;
  std::uint32_t page_tokens_, block_tokens_, blocks_of_page_;
  std::vector<Owner> owners_;
  std::vector<bool> k_pages_;
};

class Code {
 public:
  // `share`: of the blocks whose signs do not cancel, in (0, 1].
  Code(const Slots& slots, std::uint64_t seed, double share) : slots_(&slots), seed_(seed), share_(share) {}

  BlockSigns signs(std::uint64_t block, std::uint32_t head, std::uint32_t run, std::uint32_t channel) const;
  double share() const { return share_; }
  const Slots& slots() const { return *slots_; }

 private:
  const Slots* slots_;
  std::uint64_t seed_;
  double share_;
};

}  // namespace xqacheck::properties::certificate
