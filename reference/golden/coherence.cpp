#include "reference/golden/coherence.hpp"

#include <algorithm>
#include <bit>

namespace xqacheck::reference {

// Open addressing: keys are hashes already.
std::uint32_t most_copies(const std::vector<std::uint64_t>& keys) {
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t count = 0;
  };
  const std::size_t size = std::bit_ceil(2 * keys.size() + 2);
  std::vector<Slot> slots(size);
  std::uint32_t most = 0;
  for (const std::uint64_t key : keys) {
    if (key == 0) continue;
    std::size_t i = key & (size - 1);
    while (slots[i].count != 0 && slots[i].key != key) i = (i + 1) & (size - 1);
    slots[i].key = key;
    most = std::max(most, ++slots[i].count);
  }
  return most;
}

}  // namespace xqacheck::reference
