// What a coded run must give: for every row the exact sum of the signs of its visible tokens in every channel, how many
// tokens those are, and how far rounding may take a correct output from it.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "properties/checks/certificate/code.hpp"
#include "reference/golden/sequence.hpp"

namespace xqacheck::properties::certificate {

// Slots of the tokens of one (request, beam), in the order of its tokens.
struct SlotRow {
  std::vector<std::uint64_t> block;
  std::vector<std::uint8_t> place;  // in the block
};
SlotRow slots_of(const xqacheck_problem& problem, const Slots& slots, const reference::Sequence& sequence);

// Of one query row in one channel. `partials`: sum over split partials of |their part of the sum|, the most of the
// usual ways to share out tiles among splits and token groups: what roundings of partials act on.
struct Sum {
  int value = 0;
  int partials = 0;
};

// Sums of the rows of one sequence. [row][channel] for one KV head and run.
class RowSums {
 public:
  RowSums(const xqacheck_problem& problem, const reference::Sight& sight, const reference::Sequence& sequence,
          const SlotRow& slots, const Code& code, std::uint32_t splits);

  std::vector<Sum> of_row(std::uint32_t row, std::uint32_t head, std::uint32_t run) const;
  std::uint32_t visible(std::uint32_t row) const { return visible_[row]; }

 private:
  void whole_blocks(std::uint32_t head, std::uint32_t run) const;

  const reference::Sight& sight_;
  const reference::Sequence& sequence_;
  const SlotRow& slots_;
  const Code& code_;
  std::uint32_t splits_, channels_, block_tokens_;
  std::int64_t common_begin_, common_end_;  // tokens that every row sees
  std::vector<std::uint32_t> visible_;
  // Of the tokens that every row sees, for the head and run asked for last.
  mutable std::uint32_t head_ = kNobody, run_ = kNobody;
  mutable std::vector<Sum> common_;
};

// The arithmetic of a kernel, as far as it rounds exact sums of equal weights. Relative errors are half units in the
// last place: 2^-significand bits.
struct Roundings {
  double partial = 0, partial_count = 0, partial_floor = 0;  // of split partials; floor: half the smallest spacing
  double output = 0, output_floor = 0, output_limit = 0;     // limit: largest finite value
  double first = 0, first_floor = 0;                         // before e4m3 output: rounding to the type of q
  double rest = 0;                                           // exp of the sink, sum and quotient in fp32
};
Roundings roundings_of(const xqacheck_problem& problem, const xqacheck_numerics& numerics);

// How far |output / unit - sum| may be in a correct kernel; `unit`: the output for a sum of 1. Infinite where the
// output may saturate.
double allowance(const Roundings& roundings, const Sum& sum, double unit);

// Why sums of signs are not exact in this kernel's arithmetic; "" if they are. `tokens`: the longest row.
const char* inexact_because(const xqacheck_problem& problem, const xqacheck_numerics& numerics, std::uint64_t tokens);

}  // namespace xqacheck::properties::certificate
