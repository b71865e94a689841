// Bounds, alignment, first writes, inputs: every access on its own.
#include "tests/catch.hpp"
#include "tests/emulation/ptx/events.hpp"

namespace {

using namespace xqacheck::ptx;
using namespace xqacheck::ptx::testing;
using Kinds = std::vector<FindingKind>;

TEST_CASE("an access that ends at the last byte is legal, one byte more is not") {
  Events e;
  CHECK(e.access(e.at(0, 0, 1, 1), Space::global, AccessKind::load, kBase + 4092, 4) == 1);
  CHECK(e.kinds().empty());
  CHECK(e.access(e.at(0, 0, 2, 1), Space::global, AccessKind::store, kBase + 4096, 1) == 0);
  CHECK(e.kinds() == Kinds{FindingKind::out_of_bounds});
  CHECK(e.only() ==
        "out-of-bounds: k k.cu:12 (ptx line 102), cta 0 warp 0 lane 0, address 0x700000001000 = data + 4096: write of "
        "1 bytes: 0 bytes past the end "
        "of data (4096 bytes)\n");
}

TEST_CASE("only the lanes that are out of bounds are left out, and the first is named") {
  Events e;
  CHECK(e.access(e.at(0, 1, 3), Space::global, AccessKind::load, kBase + 4096 - 30 * 4, 4) == 0x3FFFFFFF);
  REQUIRE(e.kinds() == Kinds{FindingKind::out_of_bounds});
  CHECK(e.checker.findings()[0].lane == 30);
  CHECK(e.checker.findings()[0].count == 2);
}

TEST_CASE("an access across the end of an allocation is out of bounds by its last bytes") {
  Events e;
  CHECK(e.access(e.at(0, 0, 1, 1), Space::global, AccessKind::load, kBase + 0x10000 + 1016, 16, 0) == 0);
  CHECK(e.kinds() == Kinds{FindingKind::misaligned});  // alignment first: the address itself is wrong
  Events f;
  Access wide;
  std::uint64_t addresses[32] = {kBase + 0x10000 + 1016};
  wide.at = f.at(0, 0, 1, 1);
  wide.bytes = 16;
  wide.alignment = 8;
  wide.addresses = addresses;
  CHECK(f.checker.access(wide) == 0);
  CHECK(f.only().find("the last 8 lie past the end of input (1024 bytes)") != std::string::npos);
}

TEST_CASE("shared and local memory have their own bounds") {
  Events e;
  CHECK(e.access(e.at(0, 0, 1, 1), Space::shared, AccessKind::store, 4095, 1) == 1);
  CHECK(e.access(e.at(0, 0, 2, 1), Space::shared, AccessKind::store, 4096, 1) == 0);
  CHECK(e.access(e.at(0, 0, 3, 1), Space::local, AccessKind::store, 60, 4) == 1);
  CHECK(e.access(e.at(0, 0, 4, 1), Space::local, AccessKind::store, 64, 4) == 0);
  CHECK(e.kinds() == Kinds{FindingKind::out_of_bounds, FindingKind::out_of_bounds});
}

TEST_CASE("misaligned accesses name what is missing") {
  Events e;
  CHECK(e.access(e.at(0, 0, 1, 1), Space::global, AccessKind::load, kBase + 6, 4) == 0);
  CHECK(e.kinds() == Kinds{FindingKind::misaligned});
  CHECK(e.only().find("needs 4-byte alignment, the address is 2 past it") != std::string::npos);
}

TEST_CASE("bytes that nobody wrote are found one by one") {
  Events e;
  e.access(e.at(0, 0, 1, 1), Space::shared, AccessKind::store, 0, 1);
  e.access(e.at(0, 0, 2, 1), Space::shared, AccessKind::store, 1, 1);
  e.access(e.at(0, 0, 3, 1), Space::shared, AccessKind::store, 3, 1);
  CHECK(e.kinds().empty());
  e.access(e.at(0, 0, 4, 1), Space::shared, AccessKind::load, 0, 4);
  REQUIRE(e.kinds() == Kinds{FindingKind::uninitialised});
  CHECK(e.checker.findings()[0].offset == 2);
  CHECK(e.checker.findings()[0].source_line == 14);
}

TEST_CASE("global memory begins uninitialised unless the host writes it") {
  Events e;
  e.checker.host_wrote(kBase + 0x20000, 512);
  e.load(e.at(0, 0, 1, 1), kBase + 0x20000 + 508, 0, Space::global);
  CHECK(e.kinds().empty());
  e.load(e.at(0, 0, 2, 1), kBase + 0x20000 + 512, 0, Space::global);
  CHECK(e.kinds() == Kinds{FindingKind::uninitialised});
}

TEST_CASE("inputs are not written") {
  Events e;
  CHECK(e.store(e.at(0, 0, 1, 1), kBase + 0x10000, 0, Space::global) == 0);
  CHECK(e.kinds() == Kinds{FindingKind::write_to_read_only});
  Events f;
  CHECK(f.access(f.at(0, 0, 1, 1), Space::global, AccessKind::reduction, kBase + 0x10000) == 0);
  CHECK(f.kinds() == Kinds{FindingKind::write_to_read_only});
}

TEST_CASE("freed memory is no memory") {
  Events e;
  e.checker.freed(kBase);
  CHECK(e.load(e.at(0, 0, 1, 1), kBase, 0, Space::global) == 0);
  CHECK(e.kinds() == Kinds{FindingKind::out_of_bounds});
}

TEST_CASE("canaries around a buffer are no part of it") {
  Events e;
  e.checker.narrow(kBase, {"q", kBase + 64, 128, true, false});
  e.checker.host_wrote(kBase, 4096);  // with its canaries
  e.load(e.at(0, 0, 1), kBase + 64, 4, Space::global);
  CHECK(e.only() == "");
  e.load(e.at(0, 0, 2, 1), kBase + 192, 0, Space::global);
  REQUIRE(e.kinds() == Kinds{FindingKind::out_of_bounds});
  CHECK(e.only().find("0 bytes past the end of q (128 bytes)") != std::string::npos);
  e.store(e.at(0, 0, 3, 1), kBase + 64, 0, Space::global);
  CHECK(e.kinds()[1] == FindingKind::write_to_read_only);
  e.checker.freed(kBase);
  CHECK(e.load(e.at(0, 0, 4, 1), kBase + 64, 0, Space::global) == 0);
}

TEST_CASE("shared memory of a CTA that has ended") {
  Events e(2);
  e.store(e.at(1, 0, 1, 1), 0);
  e.checker.cta_end(e.grid, 1);
  CHECK(e.store(e.at(0, 0, 2, 1), std::uint64_t{2} << 32) == 0);
  CHECK(e.kinds() == Kinds{FindingKind::use_after_cta_end});
}

TEST_CASE("equal findings are counted once") {
  Events e;
  for (int i = 0; i < 5; ++i) e.load(e.at(0, 0, 1, 1), kBase + 8192, 0, Space::global);
  REQUIRE(e.kinds().size() == 1);
  CHECK(e.checker.findings()[0].count == 5);
}

}  // namespace
