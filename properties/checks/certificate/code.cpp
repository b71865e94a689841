#include "properties/checks/certificate/code.hpp"

#include <algorithm>
#include <bit>

namespace xqacheck::properties::certificate {
namespace {

using reference::KvView;
using reference::Sequence;
using reference::Sight;

// Tokens of a row that channel 0 counts, about: exact in an accumulator of 14 bits with P scaled by 448 = 7 * 64
// (256 * 7 < 2^13), and enough to see a change of the denominator through the rounding of the output.
constexpr double kWeighed = 256;
// Blocks with opposite sums lie 2^j blocks apart, j at most log2(blocks of the request) - kReach: the blocks without a
// partner are then few, and so is the sum over the whole request.
constexpr int kReach = 5;

// splitmix64 of Steele, Lea and Flood (OOPSLA 2014): a bijection that mixes every bit.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

bool chance(std::uint64_t word, double share) {
  return static_cast<double>(word >> 11) * 0x1p-53 < share;
}

// A random word of `bits` bits, half of them set: random bits, then random places are flipped until they balance.
std::uint16_t balanced(std::uint64_t word, std::uint32_t bits) {
  auto signs = static_cast<std::uint16_t>(word & ((1u << bits) - 1));
  int excess = std::popcount(signs) - static_cast<int>(bits / 2);
  for (std::uint64_t draw = mix(word); excess != 0; draw = mix(draw)) {
    for (int i = 0; i < 16 && excess != 0; ++i) {
      const std::uint32_t place = (draw >> (4 * i)) % bits;
      const bool set = (signs >> place) & 1;
      if (set != (excess > 0)) continue;
      signs = static_cast<std::uint16_t>(signs ^ (1u << place));
      excess += set ? -1 : 1;
    }
  }
  return signs;
}

}  // namespace

Slots::Slots(const xqacheck_problem& problem)
    : pages_(problem.page_tokens != 0 ? problem.pages_in_pool : std::uint64_t{problem.requests} * problem.beam_width),
      page_tokens_(problem.page_tokens != 0 ? problem.page_tokens : problem.max_seq_len),
      block_tokens_(page_tokens_ % 16 == 0 || problem.page_tokens == 0 ? 16 : 8),
      blocks_of_page_((page_tokens_ + block_tokens_ - 1) / block_tokens_),
      owners_(pages_ * blocks_of_page_) {
  own(problem);
}

void Slots::own(const xqacheck_problem& problem) {
  const KvView view(problem);
  const bool one_pool = problem.k.data == problem.v.data && problem.kv_aliased == 0;
  if (one_pool) k_pages_.resize(pages_);
  const Sight sight(problem);
  const std::uint32_t step = problem.beam_width > 1 ? 1 : block_tokens_;  // beams change from token to token
  for (const Sequence& s : sight.sequences()) {
    for (std::int64_t t = 0; t < s.length; t += step) {
      const auto token = static_cast<std::uint32_t>(t);
      const std::uint32_t in_page = token % page_tokens_;
      Owner& owner = owners_[block(view.page(true, s.request, s.beam, token), in_page)];
      if (owner.index == kNobody) {
        const std::int64_t seen = problem.window == 0 ? s.length : std::min<std::int64_t>(s.length, problem.window);
        owner = {token / block_tokens_, static_cast<std::uint32_t>(s.length), static_cast<std::uint32_t>(seen)};
      }
      if (one_pool) k_pages_[view.page(false, s.request, s.beam, token)] = true;
    }
  }
}

BlockSigns Code::signs(std::uint64_t block, std::uint32_t head, std::uint32_t run, std::uint32_t channel) const {
  const std::uint32_t bits = slots_->block_tokens();
  const auto all = static_cast<std::uint16_t>((1u << bits) - 1);
  const Slots::Owner& owner = slots_->owner(block);
  // Of the channel alone, and of the block in this channel.
  const std::uint64_t plane = mix(mix(mix(seed_ ^ run) ^ channel) ^ (std::uint64_t{head} << 32));
  const std::uint64_t own = mix(plane ^ mix(block));
  if (channel == 0) {
    const double density = owner.index == kNobody ? 0.5 : std::min(1.0, kWeighed / std::max(1u, owner.seen));
    BlockSigns signs;
    std::uint64_t draw = own;
    for (std::uint32_t i = 0; i < bits; ++i, draw = mix(draw))
      if (chance(draw, density)) signs.plus = static_cast<std::uint16_t>(signs.plus | 1u << i);
    return signs;
  }
  if (owner.index == kNobody) {
    const auto plus = static_cast<std::uint16_t>(own & all);
    return {plus, static_cast<std::uint16_t>(~plus & all)};
  }
  BlockSigns signs;
  signs.plus = balanced(own, bits);
  signs.minus = static_cast<std::uint16_t>(~signs.plus & all);
  // Partner blocks leave out opposite signs: their sums cancel.
  const std::uint32_t blocks = (owner.length + bits - 1) / bits;
  const int reach = std::max(0, static_cast<int>(std::bit_width(blocks)) - kReach);
  const auto apart = static_cast<int>(plane % static_cast<std::uint64_t>(reach + 1));
  const std::uint32_t pair = owner.index & ~(1u << apart);
  const std::uint64_t shared = mix(plane ^ mix(~std::uint64_t{pair}) ^ mix(owner.length));
  if (!chance(shared, share_)) return signs;
  const bool drop_plus = (mix(shared) & 1) != ((owner.index >> apart) & 1);
  std::uint16_t& from = drop_plus ? signs.plus : signs.minus;
  std::uint64_t draw = mix(own);
  for (;; draw = mix(draw)) {
    const auto bit = static_cast<std::uint16_t>(1u << (draw % bits));
    if ((from & bit) == 0) continue;
    from = static_cast<std::uint16_t>(from ^ bit);
    return signs;
  }
}

}  // namespace xqacheck::properties::certificate
