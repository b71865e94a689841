#include "emulation/kernels/recipe.hpp"

#include "tests/catch.hpp"

using namespace xqacheck::emulation;
using Catch::Matchers::Contains;

TEST_CASE("the defaults of a family need no parameters", "[recipe]") {
  CHECK(print_parameters(hmma_recipe()).empty());
  CHECK(print_parameters(gmma_recipe()).empty());
  CHECK(parse_recipe("hmma", "sm_90", "13.0", "") == hmma_recipe());
  CHECK(parse_recipe("gmma", "sm_90", "13.0", "  ") == gmma_recipe());
  CHECK_FALSE(hmma_recipe() == gmma_recipe());
}

TEST_CASE("parameters survive printing and parsing", "[recipe]") {
  const std::string text = "splits=contiguous half_rule=16/24/23 hint=never p_scale=256 sink=true_head e4m3_through_half=0 exact=qk,ex2";
  const Recipe recipe = parse_recipe("gmma", "sm_89", "12.8", text);
  CHECK(print_parameters(recipe) == text);
  CHECK(recipe.half_rule->fraction_bits == 24);
  CHECK(recipe.p_scale == 256);
  CHECK_FALSE(recipe.roundings.on(Rounding::ex2));
  CHECK(recipe.roundings.on(Rounding::pv));
  CHECK(parse_recipe("gmma", "sm_89", "12.8", print_parameters(recipe)) == recipe);
}

TEST_CASE("a bad parameter is refused with its name and the values it takes", "[recipe]") {
  const auto parse = [](const char* text) { return parse_recipe("hmma", "sm_90", "", text); };
  CHECK_THROWS_WITH(parse("hints=never"), Contains("hints=never") && Contains("hint,"));
  CHECK_THROWS_WITH(parse("hint=sometimes"), Contains("owner, every_tile, never"));
  CHECK_THROWS_WITH(parse("half_rule=16/25"), Contains("16/25/23"));
  CHECK_THROWS_WITH(parse("cta_tile=100"), Contains("multiple of 64"));
  CHECK_THROWS_WITH(parse("exact=everything"), Contains("no rounding is called 'everything'"));
  CHECK_THROWS_WITH(parse_recipe("marlin", "sm_90", "", ""), Contains("hmma and gmma"));
}

TEST_CASE("sets of roundings", "[recipe]") {
  CHECK(RoundingSet().all());
  CHECK(print_exact(RoundingSet()).empty());
  const RoundingSet some = parse_exact("q,merge");
  CHECK_FALSE(some.on(Rounding::merge));
  CHECK(some.with(Rounding::merge).with(Rounding::q).all());
  for (std::size_t i = 0; i < kRoundings; ++i) CHECK_FALSE(RoundingSet::none().on(static_cast<Rounding>(i)));
}
