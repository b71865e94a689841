// Masks, beams, RoPE, sinks, scales and injections.
#include <cmath>
#include <set>

#include "tests/catch.hpp"
#include "tests/reference/data/made.hpp"

using namespace xqacheck::reference;
using xqacheck::tests::Made;

namespace {

std::vector<std::uint32_t> words(const Made& m, TensorId id) {
  const HostBuffer& buffer = m.p.tensor(id);
  return {buffer.as<std::uint32_t>(), buffer.as<std::uint32_t>() + buffer.size() / 4};
}
using Words = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("masks", "[data]") {
  const Made causal("xqa/1 len=9 draft=3");
  CHECK(causal.d.mask_kind == XQACHECK_MASK_CAUSAL);
  CHECK(words(causal, TensorId::mask) == Words{1, 3, 7});
  CHECK(causal.d.depths.data == nullptr);
  CHECK(words(Made("xqa/1 len=9 draft=3 mask=full"), TensorId::mask) == Words{7, 7, 7});
  CHECK(words(Made("xqa/1 len=9 draft=3 mask=4,0,1"), TensorId::mask) == Words{4, 0, 1});
  // Draft 1 and 2 are roots, 3 and 4 hang below 1, 5 below 4.
  const Made tree("xqa/1 len=9 tree=0,0,1,1,4");
  CHECK(tree.d.mask_kind == XQACHECK_MASK_TREE);
  CHECK(words(tree, TensorId::mask) == Words{0b1, 0b10, 0b101, 0b1001, 0b11001});
  CHECK(words(tree, TensorId::depths) == Words{0, 0, 1, 1, 2});
  CHECK(words(Made("xqa/1 len=9 draft=3 mask=full"), TensorId::depths) == Words{0, 1, 2});
}

TEST_CASE("wide and ragged masks", "[data]") {
  const Made wide("xqa/1 len=70 draft=33");
  CHECK(wide.d.mask_words == 2);
  const Words mask = words(wide, TensorId::mask);
  CHECK(mask[31 * 2] == 0xFFFFFFFF);
  CHECK(mask[31 * 2 + 1] == 0);
  CHECK(mask[32 * 2 + 1] == 1);
  const Made ragged("xqa/1 len=9,8,7 draft=2,0,3");
  CHECK(ragged.d.ragged == 1);
  CHECK(ragged.d.total_rows == 5);
  CHECK(ragged.d.max_rows == 3);
  CHECK(words(ragged, TensorId::row_offsets) == Words{0, 2, 2, 5});
  CHECK(words(ragged, TensorId::mask) == Words{1, 3, 1, 3, 7});
  const Made random("xqa/1 len=90,90 draft=40 mask=random geo=3");
  const Words bits = words(random, TensorId::mask);
  int ones = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    ones += __builtin_popcount(bits[i]);
    if (i % 2 == 1) REQUIRE(bits[i] < 256);  // bits 40 and up name no draft
  }
  CHECK(std::abs(ones - 1600) < 5 * std::sqrt(3200 / 4.0));
  CHECK(Words(bits.begin(), bits.begin() + 80) != Words(bits.begin() + 80, bits.end()));
}

TEST_CASE("beams share the context and walk the index table behind it", "[data]") {
  const Made m("xqa/1 heads=2/1 len=200,0 beam=4/70 geo=2");
  CHECK(words(m, TensorId::beam_context) == Words{70, 0});
  std::set<std::uint32_t> sources;
  for (std::uint32_t t = 0; t < 200; ++t) {
    for (std::uint32_t w = 0; w < 4; ++w) {
      const std::uint32_t source = m.kv.source_beam(0, w, t);
      if (t < 70) CHECK(source == 0);
      if (t == 199) CHECK(source == w);
      sources.insert(source);
    }
  }
  CHECK(sources.size() == 4);
  // Blocks that lie wholly in the context are one page for all beams: 70 / 32 = 2 of them.
  const auto* table = m.data<std::int32_t>(TensorId::page_table);
  CHECK(table[0] == table[m.d.table_stride_beam]);
  CHECK(table[1] == table[3 * m.d.table_stride_beam + 1]);
  CHECK(table[2] != table[m.d.table_stride_beam + 2]);
  CHECK(words(Made("xqa/1 len=201 beam=2"), TensorId::beam_context) == Words{100});
  CHECK(m.d.total_rows == 8);
}

TEST_CASE("RoPE tables are cos and sin of the textbook angles", "[data]") {
  const Made m("xqa/1 len=1000 rope=neox/64 bias=1");
  CHECK(m.d.rope_kind == XQACHECK_ROPE_NEOX);
  CHECK(m.d.rotary_dim == 64);
  const auto* table = m.data<float>(TensorId::rope_table);
  for (std::uint32_t t : {0u, 1u, 17u, 999u}) {
    for (std::uint32_t j = 0; j < 32; ++j) {
      const double angle = t * std::pow(10000.0, -2.0 * j / 64);
      CHECK(std::abs(table[t * 64 + 2 * j] - std::cos(angle)) < 1e-7);
      CHECK(std::abs(table[t * 64 + 2 * j + 1] - std::sin(angle)) < 1e-7);
    }
  }
  const Made stretched("xqa/1 len=1000 rope=longrope/64");
  CHECK(stretched.d.rope_kind == XQACHECK_ROPE_NEOX);
  const auto* other = stretched.data<float>(TensorId::rope_table);
  const double scale = std::sqrt(1 + std::log(32.0) / std::log(4096.0));
  CHECK(other[0] == Approx(scale));
  CHECK(other[1000 * 64 - 1] == Approx(scale * std::sin(999 * std::pow(10000.0, -62.0 / 64) / 8)));
  CHECK(Made("xqa/1 rope=gptj").d.rope_kind == XQACHECK_ROPE_GPTJ);
  CHECK(Made("xqa/1 rope=gptj").d.rotary_dim == 128);
}

TEST_CASE("fused RoPE: the appended tokens are poison in the cache and real in k_new", "[data]") {
  const Made m("xqa/1 heads=4/2 len=50,3 draft=2,3 rope=neox bias=1 kv=e4m3 tail=zero");
  CHECK(std::isnan(m.k(0, 48, 1, 0)));
  CHECK(std::isnan(m.v(0, 49, 0, 127)));
  CHECK(!std::isnan(m.k(0, 47, 1, 0)));
  const auto k_new = [&](std::uint32_t row, std::uint32_t g, std::uint32_t ch) {
    return Made::element(m.d.k_new, m.c.q, (std::uint64_t{row} * 2 + g) * 128 + ch);
  };
  CHECK(m.d.k_new.bytes == 5 * 2 * 128 * 2);
  // The same token of the same request without RoPE holds the same real value.
  const Made plain("xqa/1 heads=4/2 len=50,3");
  CHECK(k_new(1, 1, 77) == plain.k(0, 49, 1, 77));
  CHECK(k_new(4, 0, 5) == plain.k(1, 2, 0, 5));
  CHECK(m.d.qkv_bias.bytes == (4 + 2 + 2) * 128 * 4);
}

TEST_CASE("sinks", "[data]") {
  const auto sink = [](const std::string& more, std::uint32_t h) {
    return Made("xqa/1 heads=16/2 len=300,20 " + more).data<float>(TensorId::sinks)[h];
  };
  CHECK(sink("sinks=2", 0) == 2);
  CHECK(sink("sinks=2", 7) == 5);
  CHECK(sink("sinks=-1.5", 5) == -0.5f);
  CHECK(sink("sinks=log", 0) == Approx(std::log(300)));
  CHECK(sink("sinks=extreme", 1) == -10000);
  std::set<float> mix;
  for (std::uint32_t h = 0; h < 16; ++h) mix.insert(sink("sinks=mix", h));
  for (float fixed : {12.0f, 25.0f, 60.5f, 88.0f, -30.0f, -75.25f}) CHECK(mix.count(fixed) == 1);
}

TEST_CASE("scales are given by value and by pointer", "[data]") {
  const Made m("xqa/1 kv=e4m3 qscale=1.5 kscale=0.5 vscale=0.125 out=e4m3 rcpout=4 lse=1");
  CHECK(m.d.q_scale.value == 1.5f);
  CHECK(*m.d.k_scale.pointer == 0.5f);
  CHECK(*m.d.v_scale.pointer == 0.125f);
  CHECK(m.d.rcp_out_scale.value == 4);
  CHECK(m.d.out.dtype == XQACHECK_E4M3);
  CHECK(m.p.out_bytes() == 8 * 128);
  CHECK(m.p.lse_bytes() == 8 * 4);
}

TEST_CASE("injections land where they say, in every head and beam", "[data]") {
  const Made m("xqa/1 heads=4/2 len=50,3 inject=nan@v:0:5,inf@k:1:2,minf@q:1:0,huge@k:0:0");
  for (std::uint32_t g = 0; g < 2; ++g) {
    CHECK(std::isnan(m.v(0, 5, g, 0)));
    CHECK(!std::isnan(m.v(0, 5, g, 1)));
    CHECK(m.k(1, 2, g, 0) == INFINITY);
    CHECK(m.k(0, 0, g, 0) == 0x1.FEp127);
  }
  for (std::uint32_t h = 0; h < 4; ++h) CHECK(m.q(1, h, 0) == -INFINITY);
  const Made appended("xqa/1 heads=4/2 len=50 rope=neox inject=nan@v:0:49");
  CHECK(std::isnan(Made::element(appended.d.v_new, appended.c.q, 128)));
  const Made pool("xqa/1 heads=4/2 len=50 layout=pool kv=e4m3 beam=2/0 inject=nan@k:0:49");
  CHECK(std::isnan(pool.k(0, 49, 1, 0, 1)));
  CHECK(!std::isnan(pool.v(0, 49, 1, 0, 1)));
}
