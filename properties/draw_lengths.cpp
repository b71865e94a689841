#include "properties/draw_lengths.hpp"

#include <algorithm>

namespace xqacheck::properties {
namespace {

// Tokens of a request that the size limits leave, shared fairly by the requests.
std::uint32_t longest_allowed(const SizeLimits& limits, const reference::Case& c, std::uint32_t requests, bool large) {
  std::uint64_t rows = c.beam;
  for (const std::uint32_t n : c.draft) rows = std::max<std::uint64_t>(rows, n);
  const std::uint64_t products_of_token = rows * c.q_heads * (c.dim + c.dim_v) * requests;
  const std::uint64_t elements_of_token = std::uint64_t{c.kv_heads} * (c.dim + c.dim_v) * c.beam * requests;
  const std::uint64_t factor = large ? 8 : 1;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      std::min(limits.products * factor / products_of_token, limits.elements * factor / elements_of_token), 1, 16384));
}

// A length next to a place where kernels change behaviour: a page, a tile of 64 or 256 tokens, a power of two.
std::uint32_t boundary(Draws& draws, std::uint32_t page, std::uint32_t most) {
  const std::uint32_t steps[] = {page ? page : 64, page ? page : 64, 64, 128, 256, 512};
  const std::uint32_t step = draws.pick(steps);
  const std::uint32_t multiple = step * draws.between(1, std::max(1u, std::min(most / step, 9u)));
  return multiple + draws.below(3) - 1;
}

}  // namespace

void draw_lengths(Draws& draws, const Profile& profile, const SizeLimits& limits, std::uint32_t requests,
                  reference::Case& c) {
  const std::uint32_t most = longest_allowed(limits, c, requests, draws.one_in(20));
  const std::uint32_t rows = c.draft.empty() ? 1 : *std::max_element(c.draft.begin(), c.draft.end());
  c.lens.clear();
  for (std::uint32_t i = 0; i < requests; ++i) {
    const std::uint32_t own_rows = c.draft.empty() ? 1 : c.draft[c.draft.size() == 1 ? 0 : i];
    std::uint32_t length = 0;
    switch (draws.below(8)) {
      case 0:
        length = draws.between(1, 3);
        break;
      case 1:
      case 2:
      case 3:
        length = boundary(draws, c.page, most);
        break;
      case 4:
        length = most;
        break;
      default:
        length = draws.log_between(1, most);
        break;
    }
    length = std::max(std::min(length, most), own_rows);
    if (profile.zero_length && c.mask == reference::MaskKind::none && c.rope == reference::RopeStyle::none &&
        draws.one_in(12))
      length = 0;
    c.lens.push_back(length);
  }
  if (draws.one_in(3)) {
    const std::uint32_t longest = std::max(rows, *std::max_element(c.lens.begin(), c.lens.end()));
    // A contiguous cache stores the whole capacity, so its slack stays small.
    const std::uint32_t slack = c.page == 0 ? 16 : draws.one_in(4) ? 1024 : 96;
    c.capacity = longest + draws.between(1, slack);
  }
}

std::uint32_t draw_window(Draws& draws, const reference::Case& c) {
  const std::uint32_t length = draws.pick(c.lens);
  switch (draws.below(4)) {
    case 0:
      return draws.between(1, 3);
    case 1:
      return boundary(draws, c.page, std::max(1u, length));
    case 2:
      return std::max(2u, length + draws.below(3)) - 1;
    default:
      return draws.log_between(1, std::max(1u, length));
  }
}

}  // namespace xqacheck::properties
