// Which query rows look at which tokens: lengths, draft rows, masks, windows, beams (doc/golden.md G1 to G5).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::reference {

// The query rows of one (request, beam) and the tokens they may see.
struct Sequence {
  std::uint32_t request = 0, beam = 0;
  std::int64_t length = 0;      // S: tokens in the cache
  std::uint32_t rows = 0;       // n: query rows (drafts, or 1)
  std::uint64_t first_row = 0;  // of q, out, mask and depths
  std::int64_t first_seen = 0;  // smallest token inside the window of some row

  // Tokens before this one are visible to every row that has them in its window.
  std::int64_t drafts_begin() const { return length - rows; }
};

class Sight {
 public:
  // Reads lengths, offsets, depths and masks. Throws std::invalid_argument naming the field for contradictions and
  // std::out_of_range for a tensor that is too small.
  explicit Sight(const xqacheck_problem& problem);

  const std::vector<Sequence>& sequences() const { return sequences_; }

  // First token inside the window of row i.
  std::int64_t window_start(const Sequence& s, std::uint32_t i) const;
  std::uint32_t depth(const Sequence& s, std::uint32_t i) const;
  bool sees(const Sequence& s, std::uint32_t i, std::int64_t token) const;
  bool seen_by_any(const Sequence& s, std::int64_t token) const;

 private:
  bool allows(const Sequence& s, std::uint32_t i, std::uint64_t draft) const;

  const xqacheck_problem& problem_;
  std::vector<Sequence> sequences_;
};

}  // namespace xqacheck::reference
