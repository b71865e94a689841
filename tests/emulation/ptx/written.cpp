// Which bytes have been written: pages that are written whole, in part and not at all, against one flag a byte.
#include <random>
#include <vector>

#include "emulation/ptx/check/shadow.hpp"
#include "tests/catch.hpp"

using xqacheck::ptx::Written;

TEST_CASE("Written says of every range what a flag a byte says", "[ptx]") {
  constexpr std::uint64_t kBytes = 3 * 32768 + 77;  // three pages and a piece of one
  std::mt19937_64 random(1);
  Written written(kBytes);
  std::vector<bool> flags(kBytes);
  for (int step = 0; step < 400; ++step) {
    std::uint64_t offset = random() % kBytes, count = random() % 100;
    if (step % 4 == 0) offset = random() % 4 * 32768, count = 32768 * (1 + random() % 3);  // whole pages
    count = std::min(count, kBytes - offset);
    const bool value = random() % 3 != 0;
    value ? written.set(offset, count) : written.clear(offset, count);
    std::fill_n(flags.begin() + static_cast<std::ptrdiff_t>(offset), count, value);
    for (int look = 0; look < 20; ++look) {
      const std::uint64_t at = random() % kBytes;
      const std::uint64_t most = std::min<std::uint64_t>(look % 2 == 0 ? 16 : 70000, kBytes - at);
      std::uint64_t hole = 0;
      while (hole < most && flags[at + hole]) ++hole;
      REQUIRE(written.first_hole(at, most) == hole);
    }
  }
}

TEST_CASE("Written of a pool of many GiB costs little", "[ptx]") {
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 35;
  Written written(kHuge);
  CHECK(written.first_hole(kHuge - 16, 16) == 0);
  written.set(0, kHuge);
  CHECK(written.first_hole(kHuge - 16, 16) == 16);
  written.clear(kHuge - 3, 1);
  CHECK(written.first_hole(kHuge - 16, 16) == 13);
}
