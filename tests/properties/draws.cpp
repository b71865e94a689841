#include "properties/draws.hpp"

#include <map>

#include "tests/catch.hpp"

using xqacheck::properties::Draws;

TEST_CASE("the stream is the published Philox 4x32-10") {
  // Random123's known-answer file kat_vectors: philox4x32 10 rounds, counter and key all zero.
  Draws draws(0, 0);
  CHECK(draws.next() == 0x6627e8d5u);
  CHECK(draws.next() == 0xe169c58du);
  CHECK(draws.next() == 0xbc57ac4cu);
  CHECK(draws.next() == 0x9b00dbd8u);
}

TEST_CASE("streams of other seeds, indexes and attempts differ") {
  CHECK(Draws(1, 2).next() != Draws(1, 3).next());
  CHECK(Draws(1, 2).next() != Draws(2, 2).next());
  CHECK(Draws(1, 2, 0).next() != Draws(1, 2, 1).next());
  CHECK(Draws(1, 2).next() == Draws(1, 2).next());
}

TEST_CASE("ranges are inclusive and every value occurs") {
  Draws draws(7, 0);
  std::map<std::uint32_t, int> seen;
  for (int i = 0; i < 1000; ++i) ++seen[draws.between(3, 7)];
  CHECK(seen.size() == 5);
  CHECK(seen.begin()->first == 3);
  CHECK(seen.rbegin()->first == 7);
}

TEST_CASE("log_between gives every octave its share") {
  Draws draws(7, 0);
  int short_ones = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::uint32_t value = draws.log_between(1, 1023);
    REQUIRE(value >= 1);
    REQUIRE(value <= 1023);
    short_ones += value < 32;
  }
  // Five of ten octaves lie below 32; 3000 draws have a standard deviation of 27.
  CHECK(short_ones > 1500 - 6 * 27);
  CHECK(short_ones < 1500 + 6 * 27);
}
