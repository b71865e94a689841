#include "emulation/ptx/check/clock.hpp"

#include <algorithm>

namespace xqacheck::ptx {

void Known::join(const Known& other) {
  all = std::max(all, other.all);
  if (other.some > other.all) {
    lanes = some > all ? lanes | other.lanes : other.lanes;
    some = std::max(some, other.some);
  }
  if (some <= all) some = 0, lanes = 0;
}

const Clock::Part* Clock::find(Unit first) const {
  const auto at = std::lower_bound(parts_.begin(), parts_.end(), first,
                                   [](const Part& part, Unit unit) { return part.first < unit; });
  return at != parts_.end() && at->first == first ? &*at : nullptr;
}

Known& Clock::at(Unit unit, Unit first, std::uint32_t warps) {
  auto at =
      std::lower_bound(parts_.begin(), parts_.end(), first, [](const Part& part, Unit u) { return part.first < u; });
  if (at == parts_.end() || at->first != first) at = parts_.insert(at, Part{first, std::vector<Known>(warps)});
  return at->warps[unit - first];
}

void Clock::join(const Clock& other) {
  complete_below = std::max(complete_below, other.complete_below);
  for (const Part& theirs : other.parts_) {
    auto at = std::lower_bound(parts_.begin(), parts_.end(), theirs.first,
                               [](const Part& part, Unit unit) { return part.first < unit; });
    if (at == parts_.end() || at->first != theirs.first) {
      parts_.insert(at, theirs);
      continue;
    }
    for (std::size_t i = 0; i < theirs.warps.size(); ++i) at->warps[i].join(theirs.warps[i]);
  }
}

}  // namespace xqacheck::ptx
