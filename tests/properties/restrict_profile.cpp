#include "properties/restrict_profile.hpp"

#include <set>
#include <tuple>

#include "properties/errors.hpp"
#include "properties/generate.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::reference;

namespace {

Profile restricted(const std::vector<std::string>& draws) {
  Profile profile = full_profile();
  restrict_profile(profile, draws);
  return profile;
}

}  // namespace

TEST_CASE("drawn cases keep to what is asked for, and still vary in everything else") {
  const Profile profile = restricted({"dim=64,576/512", "page=16,128", "kv=e4m3", "mask=none", "data=ints", "window=off",
                                      "beam=off", "lse=off", "inject=off", "pad=off", "skip=off"});
  std::set<std::uint32_t> dims, pages;
  std::set<Dtype> out;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Case c = draw_case(5, i, profile);
    dims.insert(c.dim), pages.insert(c.page), out.insert(c.out);
    REQUIRE(c.kv == Dtype::e4m3);
    REQUIRE(c.mask == MaskKind::none);
    REQUIRE(c.data == DataKind::ints);
    REQUIRE((c.window == 0 && c.beam == 1 && !c.lse && c.inject.empty() && c.pad_page == 0 && c.skip == 0));
  }
  CHECK(dims == std::set<std::uint32_t>{64, 576});
  CHECK(pages == std::set<std::uint32_t>{16, 128});
  CHECK(out.size() == 3);
}

TEST_CASE("without 576/512 there is no MLA; the weights of repeated values stay") {
  const Profile profile = restricted({"dim=128", "table=shuffled,identity"});
  CHECK_FALSE(profile.mla);
  CHECK(profile.tables.size() == 3);  // shuffled is drawn twice as often
  CHECK(profile.groups == full_profile().groups);
}

TEST_CASE("the shapes of one campaign are few enough to compile") {
  const Profile profile = restricted({"dim=16,32,48,64,80,96,112,128,192,240,256,576/512"});
  std::set<std::tuple<std::uint32_t, std::uint32_t, Dtype, Dtype, Dtype>> shapes;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const Case c = draw_case(11, i, profile);
    shapes.insert({c.dim, c.dim_v, c.q, c.kv, c.out});
  }
  CHECK(shapes.size() <= 96);  // 12 head dims x 8 formats
  CHECK(shapes.size() > 90);
}

TEST_CASE("what cannot be drawn is refused with the choice there is") {
  const std::pair<const char*, const char*> refused[] = {
      {"dim", "needs key=value"},
      {"=3", "needs key=value"},
      {"dims=64", "did you mean 'dim'?"},
      {"dim=24", "this kernel is drawn with 16, 32"},
      {"dim=", "this kernel is drawn with"},
      {"dim=64,,128", "this kernel is drawn with"},
      {"dim=576/512", "at least one more head dim"},
      {"kv=e4m2", "did you mean 'e4m3'?"},
      {"window=3", "only 'off'"},
      {"q=int8", "this kernel is drawn with bf16, fp16"},
  };
  for (const auto& [draw, message] : refused) {
    INFO(draw);
    CHECK_THROWS_WITH(restricted({draw}), Catch::Contains(std::string("--draw ")) && Catch::Contains(message));
    CHECK_THROWS_AS(restricted({draw}), UsageError);
  }
  CHECK_THROWS_WITH(restricted({"dim=64", "dim=128"}), Catch::Contains("given twice"));
  // int8 caches have outputs of q's type only.
  CHECK_THROWS_WITH(restricted({"kv=int8", "out=e4m3"}), Catch::Contains("drawn with bf16, fp16"));
}
