#include "properties/generate.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "reference/case_line.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::reference;

namespace {

constexpr int kMany = 20'000;

const std::vector<Case>& many_cases() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> drawn;
    const Profile profile = full_profile();
    for (int i = 0; i < kMany; ++i) drawn.push_back(draw_case(1, static_cast<std::uint64_t>(i), profile));
    return drawn;
  }();
  return cases;
}

int count(const std::function<bool(const Case&)>& wanted) {
  return static_cast<int>(std::count_if(many_cases().begin(), many_cases().end(), wanted));
}

bool any_length(const Case& c, const std::function<bool(std::uint32_t)>& wanted) {
  return std::any_of(c.lens.begin(), c.lens.end(), wanted);
}

}  // namespace

TEST_CASE("random cases are consistent, survive printing, and are hardly ever the fallback") {
  int fallback = 0;
  for (const Case& c : many_cases()) {
    REQUIRE_NOTHROW(validate(c));
    REQUIRE(parse_case(print_case(c)) == c);
    fallback += c == Case{};
  }
  CHECK(fallback == 0);
}

TEST_CASE("a case is a function of seed and index alone") {
  const Profile profile = full_profile();
  for (std::uint64_t i = 0; i < 200; ++i) CHECK(draw_case(1, i, profile) == many_cases()[i]);
  CHECK(draw_case(2, 0, profile) != many_cases()[0]);
}

TEST_CASE("drawn cases respect the size limits") {
  const SizeLimits limits;
  for (const Case& c : many_cases()) {
    std::uint64_t products = 0, elements = 0;
    for (std::size_t i = 0; i < c.lens.size(); ++i) {
      products += std::uint64_t{c.lens[i]} * c.rows(i) * c.beam * c.q_heads * (c.dim + c.dim_v);
      elements += std::uint64_t{c.lens[i]} * c.beam * c.kv_heads * (c.dim + c.dim_v);
    }
    // Eight times for the one case in twenty that is large; a request holds at least its own draft tokens, whatever
    // their size.
    const std::uint64_t least =
        std::uint64_t{c.max_rows()} * c.max_rows() * c.requests() * c.q_heads * (c.dim + c.dim_v);
    CHECK(products <= 8 * limits.products + least);
    CHECK(elements <= 8 * limits.elements + least);
  }
}

TEST_CASE("boundaries are frequent") {
  const int one_in_50 = kMany / 50;
  CHECK(count([](const Case& c) { return any_length(c, [](auto n) { return n == 0; }); }) > one_in_50);
  CHECK(count([](const Case& c) { return any_length(c, [](auto n) { return n == 1; }); }) > one_in_50);
  for (const int off : {-1, 0, 1}) {
    CHECK(count([&](const Case& c) {
            return c.page > 0 && any_length(c, [&](auto n) { return n > 2 && (n - off) % c.page == 0; });
          }) > one_in_50);
    CHECK(count([&](const Case& c) { return any_length(c, [&](auto n) { return n > 2 && (n - off) % 64 == 0; }); }) >
          one_in_50);
    CHECK(count([&](const Case& c) { return any_length(c, [&](auto n) { return n > 2 && (n - off) % 256 == 0; }); }) >
          one_in_50 / 2);
    CHECK(count([&](const Case& c) {
            return c.window > 0 &&
                   any_length(c, [&](auto n) { return n + static_cast<std::uint32_t>(off) == c.window; });
          }) > one_in_50 / 8);
  }
  CHECK(count([](const Case& c) { return c.group() % 2 == 1 && c.group() > 1; }) > one_in_50);
  CHECK(count([](const Case& c) { return c.requests() > 2; }) > one_in_50);
}

TEST_CASE("every name of the case line is drawn") {
  std::set<Dtype> kv;
  std::set<Layout> layouts;
  std::set<TableKind> tables;
  std::set<MaskKind> masks;
  std::set<SinkKind> sinks;
  std::set<RopeStyle> ropes;
  std::set<DataKind> data;
  std::set<std::uint32_t> dims, pages;
  for (const Case& c : many_cases()) {
    kv.insert(c.kv), layouts.insert(c.layout), tables.insert(c.table), masks.insert(c.mask), sinks.insert(c.sinks);
    ropes.insert(c.rope), data.insert(c.data), dims.insert(c.dim), pages.insert(c.page);
  }
  CHECK(kv.size() == 4);
  CHECK(layouts.size() == 3);
  CHECK(tables.size() == 5);  // all but `far`
  CHECK(masks.size() == 6);
  CHECK(sinks.size() == 5);
  CHECK(ropes.size() == 4);
  CHECK(data.size() == 21);
  CHECK(dims.size() == 17);  // 16 to 256, and MLA's 576
  CHECK(pages.size() == 6);
  CHECK(count([](const Case& c) { return c.beam > 1; }) > 100);
  CHECK(count([](const Case& c) { return c.skip > 0; }) > 100);
  CHECK(count([](const Case& c) { return c.draft.size() > 1; }) > 100);
  CHECK(count([](const Case& c) { return c.out == Dtype::e4m3; }) > 100);
  CHECK(count([](const Case& c) { return !c.inject.empty(); }) > 100);
}

TEST_CASE("what a profile leaves out is not drawn") {
  Profile profile = full_profile();
  profile.window = profile.beam = profile.lse = profile.zero_length = profile.mla = profile.nan_inputs = false;
  profile.masks = {MaskKind::none};
  profile.ropes = {RopeStyle::none};
  profile.pages = {32};
  profile.formats = {{Dtype::fp16, Dtype::int8, Dtype::fp16}};
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Case c = draw_case(5, i, profile);
    CHECK(c.window == 0);
    CHECK(c.beam == 1);
    CHECK_FALSE(c.lse);
    CHECK(c.draft.empty());
    CHECK(c.rope == RopeStyle::none);
    CHECK(c.page == 32);
    CHECK(c.kv == Dtype::int8);
    CHECK(c.inject.empty());
    CHECK_FALSE(any_length(c, [](auto n) { return n == 0; }));
  }
}
