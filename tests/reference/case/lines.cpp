// Lines and what they mean, written down by hand from doc/case-line.md.
#include <algorithm>

#include "reference/case_line.hpp"
#include "reference/names.hpp"
#include "reference/run_line.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::reference;

TEST_CASE("an empty line is the default case", "[case]") {
  CHECK(parse_case("xqa/1") == Case{});
  CHECK(print_case(Case{}) == "xqa/1");
  CHECK(print_run_line(RunLine{}) == "xqa/1");
}

TEST_CASE("the example of the design document", "[case]") {
  const Case c = parse_case(
      "xqa/1 heads=16/2 dim=128 len=513,64,0 page=32 layout=nhd q=bf16 kv=e4m3 table=shuffled sinks=2 window=256 "
      "data=normal seed=7");
  CHECK(c.q_heads == 16);
  CHECK(c.kv_heads == 2);
  CHECK(c.group() == 8);
  CHECK(c.lens == std::vector<std::uint32_t>{513, 64, 0});
  CHECK(c.kv == Dtype::e4m3);
  CHECK(c.out == Dtype::bf16);
  CHECK(c.k_scale == 0.25f);
  CHECK(c.sinks == SinkKind::level);
  CHECK(c.sink_level == 2);
  CHECK(c.max_seq_len() == 544);
  CHECK(print_case(c) == "xqa/1 heads=16/2 len=513,64,0 kv=e4m3 sinks=2 window=256 seed=7");
}

TEST_CASE("defaults follow other keys", "[case]") {
  CHECK(parse_case("xqa/1 q=fp16").kv == Dtype::fp16);
  CHECK(parse_case("xqa/1 q=fp16").out == Dtype::fp16);
  CHECK(parse_case("xqa/1 kv=int8").v_scale == 0.03125f);
  CHECK(parse_case("xqa/1 kv=e4m3 kscale=1").v_scale == 0.25f);
  CHECK(parse_case("xqa/1 kv=e4m3 dim=576/512 kscale=1").v_scale == 1);
  CHECK(parse_case("xqa/1 page=0").table == TableKind::identity);
  CHECK(parse_case("xqa/1 page=0").spare == 0);
  CHECK(parse_case("xqa/1 draft=3").mask == MaskKind::causal);
  CHECK(parse_case("xqa/1 heads=4").kv_heads == 4);
  const Case tree = parse_case("xqa/1 len=9,9 tree=0,0,1,1/0,1");
  CHECK(tree.mask == MaskKind::tree);
  CHECK(tree.draft == std::vector<std::uint32_t>{4, 2});
  CHECK(tree.rows(1) == 2);
}

TEST_CASE("short forms", "[case]") {
  CHECK(parse_case("xqa/1 len=8192x128").lens == std::vector<std::uint32_t>(128, 8192));
  CHECK(print_case(parse_case("xqa/1 len=5,5,5,7,8,8")) == "xqa/1 len=5x3,7,8x2");
  CHECK(parse_case("xqa/1 len=8x3 draft=2x2,1").draft == std::vector<std::uint32_t>{2, 2, 1});
  const Case drawn = parse_case("xqa/1 len=uniform(3,9)x200 geo=5");
  CHECK(drawn.lens.size() == 200);
  CHECK(*std::min_element(drawn.lens.begin(), drawn.lens.end()) == 3);
  CHECK(*std::max_element(drawn.lens.begin(), drawn.lens.end()) == 9);
  CHECK(parse_case("xqa/1 geo=5 len=uniform(3,9)x200") == drawn);  // the seed counts wherever it stands
  CHECK(parse_case("xqa/1 geo=6 len=uniform(3,9)x200").lens != drawn.lens);
  CHECK(parse_case("xqa/1 len=uniform(7,7)x3").lens == std::vector<std::uint32_t>(3, 7));
}

TEST_CASE("masks in a line", "[case]") {
  const Case c = parse_case("xqa/1 len=9,9 draft=2,1 mask=1,3/0");
  CHECK(c.mask == MaskKind::bits);
  CHECK(c.bits == std::vector<std::vector<std::uint32_t>>{{1, 3}, {0}});
  CHECK(parse_case("xqa/1 draft=4 mask=F,f,0f,1").bits[0] == std::vector<std::uint32_t>{15, 15, 15, 1});
}

TEST_CASE("a file's name may hold any byte", "[case]") {
  Case c;
  c.file = "a b#c%@\xC3\xA4.safetensors";
  c.file_hash = 0x12ab;
  CHECK(print_case(c) == "xqa/1 file=a%20b%23c%25%40%C3%A4.safetensors#00000000000012ab");
  CHECK(parse_case(print_case(c)) == c);
}

TEST_CASE("numbers are written as short as they can be read back", "[case]") {
  Case c;
  for (float scale : {0.1f, 1e-30f, 16777216.0f, 0x1.fffffep127f, 1.0f / 3}) {
    c.q_scale = scale;
    CHECK(parse_case(print_case(c)).q_scale == scale);
  }
  c.q_scale = 0.1f;
  CHECK(print_case(c) == "xqa/1 qscale=0.1");
}

TEST_CASE("run lines", "[case]") {
  const std::string line =
      "xqa/1 heads=16/2 len=513 kv=e4m3 seed=7 @ kernel=hmma prop=guard device=cuda plan=4 place=end tool=1.0";
  const RunLine run = parse_run_line(line);
  CHECK(run.kernel == "hmma");
  CHECK(run.property == "guard");
  CHECK(run.device == Device::cuda);
  CHECK(run.forced_splits() == 4);
  CHECK(run.place == Placement::end);
  CHECK(run.tool == "1.0");
  CHECK(run.subject.seed == 7);
  CHECK(print_run_line(run) == line);
  CHECK(parse_run_line("xqa/1 inject=nan@v:0:5").subject.inject.size() == 1);  // that @ separates nothing
  CHECK(parse_run_line("xqa/1 @ plan=article").forced_splits() == 0);
  CHECK(parse_run_line("xqa/1 @ launch=pdl").launch == LaunchStyle::pdl_producer);
  CHECK(parse_run_line("xqa/1 @ fill=zero").output == Fill::zero);
  CHECK(parse_run_line("xqa/1 @ fill=zero/nan").output == Fill::nan);
}

TEST_CASE("settled brings dependent fields in line", "[case]") {
  Case c;
  c.page = 0;
  c.q = Dtype::fp16;
  c.beam = 4;
  c.draft = {2};
  const Case s = settled(c);
  CHECK(s.table == TableKind::identity);
  CHECK(s.spare == 0);
  CHECK(s.kv == Dtype::fp16);
  CHECK(s.out == Dtype::fp16);
  CHECK(s.beam == 1);
  CHECK(s.mask == MaskKind::causal);
  CHECK_NOTHROW(validate(s));
  CHECK_THROWS_AS(validate(c), CaseError);
}
