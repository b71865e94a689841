#include "properties/checks/certificate/expected.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "properties/checks/number_format.hpp"
#include "reference/gather.hpp"

namespace xqacheck::properties::certificate {
namespace {

constexpr std::uint32_t kTile = 64;   // tokens that splits share out at least: of every public decode kernel
constexpr std::uint32_t kGroups = 4;  // most token groups of a thread block that keep accumulators of their own
constexpr std::uint32_t kWays = 4;    // to share out tiles; see part_of

// The split partial that a 64-token tile goes to, in one of the usual ways: contiguous ranges or every s-th tile, of
// tiles of 64 tokens or of 256 tokens in four groups.
std::uint32_t part_of(std::uint32_t way, std::uint64_t tile, std::uint64_t tiles, std::uint32_t splits) {
  const std::uint64_t wide = tile / kGroups, wides = (tiles + kGroups - 1) / kGroups;
  const auto group = static_cast<std::uint32_t>(tile % kGroups);
  switch (way) {
    case 0:
      return static_cast<std::uint32_t>(tile * splits / tiles);
    case 1:
      return static_cast<std::uint32_t>(tile % splits);
    case 2:
      return static_cast<std::uint32_t>(wide * splits / wides) * kGroups + group;
    default:
      return static_cast<std::uint32_t>(wide % splits) * kGroups + group;
  }
}

}  // namespace

SlotRow slots_of(const xqacheck_problem& problem, const Slots& slots, const reference::Sequence& s) {
  const reference::KvView view(problem);
  SlotRow row;
  row.block.reserve(static_cast<std::size_t>(s.length)), row.place.reserve(static_cast<std::size_t>(s.length));
  for (std::uint32_t t = 0; t < s.length; ++t) {
    const std::uint32_t in_page = t % slots.page_tokens();
    row.block.push_back(slots.block(view.page(true, s.request, s.beam, t), in_page));
    row.place.push_back(static_cast<std::uint8_t>(slots.in_block(in_page)));
  }
  return row;
}

RowSums::RowSums(const xqacheck_problem& problem, const reference::Sight& sight, const reference::Sequence& s,
                 const SlotRow& slots, const Code& code, std::uint32_t splits)
    : sight_(sight),
      sequence_(s),
      slots_(slots),
      code_(code),
      splits_(std::max(splits, 1u)),
      channels_(problem.head_dim_v),
      block_tokens_(code.slots().block_tokens()),
      common_begin_(0),
      common_end_(std::max<std::int64_t>(s.drafts_begin(), 0)),
      visible_(s.rows) {
  for (std::uint32_t i = 0; i < s.rows; ++i) common_begin_ = std::max(common_begin_, sight.window_start(s, i));
  common_begin_ = std::min(common_begin_, common_end_);
  for (std::uint32_t i = 0; i < s.rows; ++i) {
    visible_[i] = static_cast<std::uint32_t>(common_end_ - common_begin_);
    for (std::int64_t t = sight.window_start(s, i); t < s.length; ++t) {
      if (t == common_begin_) t = common_end_;
      if (t < s.length && sight.sees(s, i, t)) ++visible_[i];
    }
  }
}

void RowSums::whole_blocks(std::uint32_t head, std::uint32_t run) const {
  if (head == head_ && run == run_) return;
  head_ = head, run_ = run;
  common_.assign(channels_, {});
  const std::uint64_t tiles = (static_cast<std::uint64_t>(sequence_.length) + kTile - 1) / kTile;
  std::vector<int> parts[kWays];
  for (auto& part : parts) part.resize(std::size_t{splits_} * kGroups);
  for (std::uint32_t d = 0; d < channels_; ++d) {
    for (auto& part : parts) std::fill(part.begin(), part.end(), 0);
    Sum& sum = common_[d];
    std::int64_t t = common_begin_;
    while (t < common_end_) {
      const std::uint64_t block = slots_.block[static_cast<std::size_t>(t)];
      const BlockSigns signs = code_.signs(block, head, run, d);
      const std::int64_t tile = t / kTile;
      int part_sum = 0;
      for (; t < common_end_ && slots_.block[static_cast<std::size_t>(t)] == block && t / kTile == tile; ++t)
        part_sum += signs.at(slots_.place[static_cast<std::size_t>(t)]);
      sum.value += part_sum;
      if (part_sum == 0) continue;
      for (std::uint32_t way = 0; way < kWays; ++way)
        parts[way][part_of(way, static_cast<std::uint64_t>(tile), tiles, splits_)] += part_sum;
    }
    for (const auto& part : parts) {
      int all = 0;
      for (const int each : part) all += std::abs(each);
      sum.partials = std::max(sum.partials, all);
    }
  }
}

std::vector<Sum> RowSums::of_row(std::uint32_t row, std::uint32_t head, std::uint32_t run) const {
  whole_blocks(head, run);
  std::vector<Sum> sums = common_;
  std::vector<int> in_block(channels_);
  const auto close_block = [&] {
    for (std::uint32_t d = 0; d < channels_; ++d) {
      sums[d].value += in_block[d];
      sums[d].partials += std::abs(in_block[d]);
      in_block[d] = 0;
    }
  };
  // Tokens before and after those that all rows see, block by block.
  std::uint64_t open = ~std::uint64_t{0};
  std::vector<BlockSigns> signs(channels_);
  for (std::int64_t t = sight_.window_start(sequence_, row); t < sequence_.length; ++t) {
    if (t == common_begin_) t = common_end_;
    if (t >= sequence_.length) break;
    if (!sight_.sees(sequence_, row, t)) continue;
    const std::uint64_t block = slots_.block[static_cast<std::size_t>(t)];
    if (block != open) {
      close_block();
      open = block;
      for (std::uint32_t d = 0; d < channels_; ++d) signs[d] = code_.signs(block, head, run, d);
    }
    for (std::uint32_t d = 0; d < channels_; ++d) in_block[d] += signs[d].at(slots_.place[static_cast<std::size_t>(t)]);
  }
  close_block();
  return sums;
}

Roundings roundings_of(const xqacheck_problem& problem, const xqacheck_numerics& n) {
  Roundings r;
  const NumberFormat partial = number_format(n.partial_format != XQACHECK_NONE ? n.partial_format : problem.q.dtype);
  r.partial = half_unit(partial), r.partial_floor = half_smallest(partial);
  r.partial_count = n.partial_roundings != 0 ? n.partial_roundings : 4;  // the default of the field
  const NumberFormat out = number_format(problem.out.dtype);
  r.output = half_unit(out), r.output_floor = half_smallest(out), r.output_limit = out.largest;
  if (problem.out.dtype == XQACHECK_E4M3 && n.double_rounded_output != 2) {
    const NumberFormat first = number_format(problem.q.dtype);
    r.first = half_unit(first), r.first_floor = half_smallest(first);
  }
  // exp(sink) with |sink| below 32: its argument is rounded to 2^-20 and the function adds its own error. Sums of ones
  // below 2^24 are exact; merges, quotient and scales are some twenty roundings of 2^-24.
  const double exp_error = n.exp_relative_error > 0 ? n.exp_relative_error : 0x1p-21;
  r.rest = exp_error + 0x1p-18;
  return r;
}

double allowance(const Roundings& r, const Sum& sum, double unit) {
  const double value = std::abs(sum.value);
  double error = r.partial_count * (r.partial * sum.partials + r.partial_floor / unit) + value * r.rest + 0x1p-16;
  error += (value + error) * r.first + r.first_floor / unit;
  const double written = value + error;
  if (written * unit > r.output_limit * (1 - 2 * r.output)) return std::numeric_limits<double>::infinity();
  return error + std::max(written * r.output, r.output_floor / unit);
}

const char* inexact_because(const xqacheck_problem& problem, const xqacheck_numerics& n, std::uint64_t tokens) {
  // P is p_scale for every visible token: it must be a number of the P format.
  const double p_scale = n.p_scale > 0 ? double{n.p_scale} : 1;
  int exponent = 0;
  double odd = std::frexp(p_scale, &exponent);
  while (odd != std::floor(odd)) odd *= 2;
  const NumberFormat p = number_format(n.p_format != XQACHECK_NONE ? n.p_format : std::uint32_t{XQACHECK_BF16});
  if (odd >= std::ldexp(1.0, p.bits) || p_scale > p.largest)
    return "the declared p_scale is no number of the P format: weights of 1 are rounded";
  const bool narrow = problem.k.dtype == XQACHECK_E4M3;
  const int bits = n.accumulator_bits != 0 ? static_cast<int>(n.accumulator_bits) : narrow ? 14 : 24;
  // Balanced blocks keep sums of narrow accumulators below 512 whatever the length; wide ones hold every token.
  const double most = bits >= 22 ? static_cast<double>(tokens) : 512;
  if (most * odd >= std::ldexp(1.0, bits - 1))
    return "the declared accumulator is too narrow for sums of signs to be exact";
  return "";
}

}  // namespace xqacheck::properties::certificate
