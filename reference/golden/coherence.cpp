#include "reference/golden/coherence.hpp"

#include <algorithm>
#include <bit>

namespace xqacheck::reference {

// Open addressing: keys are hashes already.
std::uint32_t most_copies(const std::vector<std::uint64_t>& keys) {
  const std::size_t size = std::bit_ceil(2 * keys.size() + 1), mask = size - 1;
  std::vector<std::uint32_t> first(size, 0);  // 1 + index of the first token with this key
  std::vector<std::uint32_t> repeats(0);      // of the token at the index: kept only once a key repeats
  std::uint32_t most = 0;
  for (std::size_t t = 0; t < keys.size(); ++t) {
    if (keys[t] == 0) continue;
    std::size_t i = keys[t] & mask;
    while (first[i] != 0 && keys[first[i] - 1] != keys[t]) i = (i + 1) & mask;
    if (first[i] == 0) {
      first[i] = static_cast<std::uint32_t>(t + 1);
      most = std::max(most, 1u);
      continue;
    }
    if (repeats.empty()) repeats.resize(keys.size(), 0);
    most = std::max(most, 1 + ++repeats[first[i] - 1]);
  }
  return most;
}

}  // namespace xqacheck::reference
