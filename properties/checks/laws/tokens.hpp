// Rows of the cache, for laws that move or overwrite tokens.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/problem.hpp"

namespace xqacheck::properties::laws {

// Element offsets of channel 0 of the tokens of every request (beam 0) and KV head, into the tensor that holds K or V.
class TokenRows {
 public:
  explicit TokenRows(const reference::Problem& problem);

  // No two tokens of the batch lie in one place: a token can be changed without changing another.
  bool all_apart() const { return apart_; }
  std::uint64_t k(std::uint32_t request, std::uint32_t token, std::uint32_t head) const {
    return k_[request][std::size_t{token} * heads_ + head];
  }
  std::uint64_t v(std::uint32_t request, std::uint32_t token, std::uint32_t head) const {
    return v_[request][std::size_t{token} * heads_ + head];
  }

 private:
  std::uint32_t heads_;
  bool apart_ = true;
  std::vector<std::vector<std::uint64_t>> k_, v_;
};

// The tensor that holds V: its own, or the pool of both.
reference::HostBuffer& v_buffer(reference::Problem& problem);

// K and V of token `to` become those of token `from`, taken from `source` (the problem before any change).
void copy_token(reference::Problem& problem, const reference::Problem& source, const TokenRows& rows,
                std::uint32_t request, std::uint32_t from, std::uint32_t to);

// Every element of V of the batch (channel by channel) becomes change(stored value); exact for numbers of the format.
void change_v(reference::Problem& problem, const TokenRows& rows, double (*change)(double stored));
// Smallest and largest size of an element of V but 0; {inf, 0} if there is none; NaN or Inf count as largest = inf.
struct Range {
  double smallest, largest;
};
Range range_of_v(const reference::Problem& problem, const TokenRows& rows);

// K of one token becomes zero, or V.
void clear_k(reference::Problem& problem, const TokenRows& rows, std::uint32_t request, std::uint32_t token);
void clear_v(reference::Problem& problem, const TokenRows& rows, std::uint32_t request, std::uint32_t token);

// The batch as decodes: one row a request, row `row_of[b]` of the original's rows of request b, with `lens[b]` tokens,
// without a mask. Sinks, windows and scales stay.
reference::Problem as_decodes(const reference::Problem& problem, const std::vector<std::uint32_t>& row_of,
                              const std::vector<std::uint32_t>& lens);

void set_length(reference::Problem& problem, std::uint32_t request, std::uint32_t length);
std::uint32_t length_of(const reference::Problem& problem, std::uint32_t request);
void drop_sinks(reference::Problem& problem);

}  // namespace xqacheck::properties::laws
