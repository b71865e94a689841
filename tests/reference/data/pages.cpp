// Page tables and pools: who owns which page, what the rest holds, and where the strides lead.
#include <algorithm>
#include <map>
#include <set>

#include "reference/page_plan.hpp"
#include "tests/catch.hpp"
#include "tests/rapidcheck.hpp"
#include "tests/reference/arbitrary_case.hpp"
#include "tests/reference/data/made.hpp"

using namespace xqacheck;
using namespace xqacheck::reference;
using xqacheck::tests::Made;

namespace {

PagePlan plan_of(const std::string& line) {
  const Case c = parse_case(line);
  return plan_pages(c, shape_of(c));
}

std::vector<std::int32_t> row(const PagePlan& plan, std::size_t first, std::size_t count) {
  return {plan.table.begin() + first, plan.table.begin() + first + count};
}

}  // namespace

TEST_CASE("identity, reversed and shuffled tables", "[data]") {
  // 64 and 33 tokens in pages of 32: two blocks each, and two spare pages.
  CHECK(plan_of("xqa/1 len=64,33 table=identity").table == std::vector<std::int32_t>{0, 1, 2, 3});
  CHECK(plan_of("xqa/1 len=64,33 table=reversed").table == std::vector<std::int32_t>{5, 4, 3, 2});
  const PagePlan shuffled = plan_of("xqa/1 len=3200,33 table=shuffled geo=1");
  CHECK(shuffled.pages_in_pool == 104);
  CHECK(row(shuffled, 0, 100) != row(plan_of("xqa/1 len=3200,33 geo=2"), 0, 100));
  std::set<std::int32_t> pages(shuffled.table.begin(), shuffled.table.begin() + 102);
  CHECK(pages.size() == 102);
  const auto ordered = row(shuffled, 0, 100);
  CHECK(!std::is_sorted(ordered.begin(), ordered.end()));
}

TEST_CASE("entries past the end of a request", "[data]") {
  CHECK(row(plan_of("xqa/1 len=64,1 table=identity unused=zero"), 2, 2) == std::vector<std::int32_t>{2, 0});
  CHECK(row(plan_of("xqa/1 len=64,1 table=identity unused=minus"), 2, 2) == std::vector<std::int32_t>{2, -1});
  CHECK(row(plan_of("xqa/1 len=64,1 table=identity unused=huge"), 2, 2) == std::vector<std::int32_t>{2, 0x7FFFFFFF});
  const auto spare = row(plan_of("xqa/1 len=64,1 table=identity unused=spare spare=1"), 2, 2);
  CHECK(spare == std::vector<std::int32_t>{2, 3});
  // Padding behind every row of the table is filled the same way.
  CHECK(plan_of("xqa/1 len=32,1 table=identity unused=minus tpad=1").table == std::vector<std::int32_t>{0, -1, 1, -1});
}

TEST_CASE("prefix: full pages of the beginning are shared with the longest request", "[data]") {
  const PagePlan plan = plan_of("xqa/1 len=64,320,10,200 table=prefix");
  // Blocks: 2, 10, 1, 7 in rows of 10. Half of the full pages, rounded up: 1, 5, 0, 3.
  const auto a = row(plan, 0, 2), b = row(plan, 10, 10), c = row(plan, 20, 1), d = row(plan, 30, 7);
  CHECK(a[0] == b[0]);
  CHECK(a[1] != b[1]);
  CHECK(std::equal(d.begin(), d.begin() + 3, b.begin()));
  CHECK(d[3] != b[3]);
  CHECK(std::find(b.begin(), b.end(), c[0]) == b.end());
}

TEST_CASE("aliased: about three blocks share a page", "[data]") {
  const Case c = parse_case("xqa/1 len=3200x3 table=aliased");
  const PagePlan plan = plan_pages(c, shape_of(c));
  std::map<std::int32_t, int> uses;
  for (std::int32_t page : plan.table) ++uses[page];
  CHECK(plan.table.size() == 300);
  CHECK(uses.size() <= 100);
  CHECK(uses.size() > 80);  // 100 pages, each missed with probability e^-3
}

TEST_CASE("far: every element lies beyond 2^31, and memory stays small", "[data]") {
  const Made m("xqa/1 heads=2/2 len=100,40 table=far");
  CHECK(m.p.tensor(TensorId::k).sparse());
  CHECK(m.d.k.bytes > 2ull << 31);
  for (std::uint32_t t = 0; t < 100; ++t) CHECK(m.kv.k_row(0, 0, t, 1) > 1ull << 31);
  std::size_t written = 0;
  for (const HostBuffer::Range& range : m.p.tensor(TensorId::k).written_ranges()) written += range.bytes;
  CHECK(written <= 8 * (32 * 2 * 128 * 2 + 4096 * 2));  // six used pages, two spares, each rounded out
  const Problem copy = m.p.clone();
  CHECK(copy.tensor(TensorId::k).written_ranges().size() == m.p.tensor(TensorId::k).written_ranges().size());
}

TEST_CASE("the XQA pool holds K and V pages of one numbering", "[data]") {
  const Made m("xqa/1 heads=4/2 dim=64 len=100,40 page=16 layout=pool beam=2/50");
  CHECK(m.d.k.data == m.d.v.data);
  CHECK(m.d.kv_aliased == 0);
  CHECK(m.d.table_columns == 7);
  CHECK(m.d.table_stride_v == 7);
  CHECK(m.d.table_stride_beam == 14);
  CHECK(m.d.table_stride_request == 28);
  CHECK(m.d.k_stride_token == 64);
  CHECK(m.d.k_stride_head == 16 * 64);
  CHECK(m.d.k_stride_page == 2 * 16 * 64);
  std::set<std::uint64_t> k_pages, v_pages;
  for (std::uint32_t t = 0; t < 100; ++t) {
    k_pages.insert(m.kv.page(false, 0, 0, t));
    v_pages.insert(m.kv.page(true, 0, 0, t));
  }
  for (std::uint64_t page : k_pages) CHECK(v_pages.count(page) == 0);
}

TEST_CASE("strides of the layouts, with gaps", "[data]") {
  const Made nhd("xqa/1 heads=4/2 dim=64 len=40 page=16 layout=nhd pad=5/3/1 qpad=7/2 outpad=9/4");
  CHECK(nhd.d.k_stride_head == 64 + 1);
  CHECK(nhd.d.k_stride_token == 2 * 65 + 3);
  CHECK(nhd.d.k_stride_page == 16 * 133 + 5);
  CHECK(nhd.d.q_stride_head == 66);
  CHECK(nhd.d.q_stride_row == 4 * 66 + 7);
  CHECK(nhd.d.out_stride_head == 68);
  CHECK(nhd.d.out_stride_row == 4 * 68 + 9);
  CHECK(nhd.p.out_bytes() == (3 * 68 + 64) * 2);  // one row: ends with its last element
  CHECK(nhd.d.q.bytes == (3 * 66 + 64) * 2);
  const Made hnd("xqa/1 heads=4/2 dim=64 len=40 page=16 layout=hnd pad=5/3/1");
  CHECK(hnd.d.k_stride_token == 64 + 3);
  CHECK(hnd.d.k_stride_head == 16 * 67 + 1);
  CHECK(hnd.d.k_stride_page == 2 * (16 * 67 + 1) + 5);
  const Made contiguous("xqa/1 heads=4/2 dim=64 len=40,20 page=0 layout=hnd cap=50");
  CHECK(contiguous.d.page_table.data == nullptr);
  CHECK(contiguous.d.k_stride_head == 50 * 64);
  CHECK(contiguous.d.k_stride_page == 2 * 50 * 64);
  CHECK(contiguous.d.k.bytes == 2 * 2 * 50 * 64 * 2);
}

TEST_CASE("everything that no live token or tail covers is poison", "[data]") {
  for (const char* line : {"xqa/1 heads=4/2 dim=32 len=40,9,0 page=16 pad=5/3/1 tail=nan kv=e4m3",
                           "xqa/1 heads=4/2 dim=32 len=40,9 page=16 layout=pool tail=nan",
                           "xqa/1 heads=4/2 dim=32 len=40,9 page=0 layout=hnd pad=5/3/1 tail=nan cap=64",
                           "xqa/1 heads=4/2 dim=32 len=40,9 page=16 pad=5/3/1 tail=zero kv=int8"}) {
    const Made m(line);
    INFO(line);
    const std::size_t element = bytes_of(m.c.kv);
    std::vector<bool> k_live(m.d.k.bytes / element), v_live(m.d.v.bytes / element);
    std::vector<bool>& v_marks = m.d.k.data == m.d.v.data ? k_live : v_live;
    // With other tails the whole last page is written: count its tokens as live.
    const std::uint32_t page = m.c.tail == TailKind::nan ? 1 : m.c.page;
    for (std::uint32_t b = 0; b < m.d.requests; ++b) {
      for (std::uint32_t t = 0; t < m.c.lens[b]; ++t) {
        for (std::uint32_t g = 0; g < 2; ++g) {
          const std::uint32_t copies = t + 1 == m.c.lens[b] ? (page - m.c.lens[b] % page) % page + 1 : 1;
          for (std::uint32_t more = 0; more < copies; ++more) {
            for (std::uint32_t ch = 0; ch < 32; ++ch) {
              k_live[m.kv.k_row(b, 0, t, g) + more * m.d.k_stride_token + ch] = true;
              v_marks[m.kv.v_row(b, 0, t, g) + more * m.d.v_stride_token + ch] = true;
            }
          }
        }
      }
    }
    const int poison = m.c.kv == Dtype::int8 ? 0x7F : 0xFF;
    for (const auto& [live, tensor] : {std::pair{&k_live, &m.d.k}, std::pair{&v_marks, &m.d.v}}) {
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < live->size() * element; ++i) {
        if (!(*live)[i / element]) wrong += static_cast<const unsigned char*>(tensor->data)[i] != poison;
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("tails hold what their kind says", "[data]") {
  const auto tail = [](const std::string& more) {
    const Made m("xqa/1 len=33 " + more);
    return Made::element(m.d.v, m.c.kv, m.kv.v_row(0, 0, 32, 0) + 5 * m.d.v_stride_token + 7);
  };
  CHECK(tail("tail=zero") == 0);
  CHECK(std::isnan(tail("tail=nan kv=e4m3")));
  CHECK(std::abs(tail("tail=max")) == 448);
  CHECK(std::abs(tail("tail=max kv=e4m3")) == 448);
  CHECK(std::abs(tail("tail=max kv=int8")) == 113);
  CHECK(std::abs(tail("tail=random")) < 5);
}

TEST_CASE("every token of every random case is inside its tensors", "[data]") {
  tests::check_property(
      "problem-gather",
      [](Case c) {
        const Problem p = make_problem(c);
        std::vector<std::byte> out(p.out_bytes()), lse(p.lse_bytes());
        const xqacheck_problem d = p.view(out.data(), lse.data());
        const KvView kv(d);
        RC_ASSERT(d.struct_bytes == sizeof d);
        for (std::uint32_t b = 0; b < d.requests; ++b) {
          RC_ASSERT(kv.seq_len(b) == c.lens[b]);
          RC_ASSERT(kv.rows(b) == c.rows(b));
          for (std::uint32_t w = 0; w < d.beam_width; ++w) {
            for (std::uint32_t t = 0; t < c.lens[b]; ++t) {
              kv.k_row(b, w, t, d.kv_heads - 1);
              kv.v_row(b, w, t, d.kv_heads - 1);
            }
          }
        }
        for (std::uint32_t r = 0; r < d.total_rows; ++r) kv.q_row(r, d.q_heads - 1);
        // Optional tensors are there exactly when the case asks for them.
        RC_ASSERT((d.lse.data != nullptr) == c.lse);
        RC_ASSERT((d.sinks.data != nullptr) == (c.sinks != SinkKind::none));
        RC_ASSERT((d.mask.data != nullptr) == !c.draft.empty());
        RC_ASSERT((d.beam_index.data != nullptr) == (c.beam > 1));
        RC_ASSERT((d.k_new.data != nullptr) == (c.rope != RopeStyle::none));
        RC_ASSERT((d.qkv_bias.data != nullptr) == c.bias);
        RC_ASSERT((d.page_table.data != nullptr) == (c.page != 0));
      },
      150);
}

TEST_CASE("the checked gather names what is wrong", "[data]") {
  const Made m("xqa/1 heads=4/2 len=100,40");
  xqacheck_problem d = m.d;
  const auto message = [&](auto call) -> std::string {
    try {
      call(KvView(d));
    } catch (const GatherError& error) {
      return error.what();
    }
    return "no error";
  };
  const auto k_row = [](std::uint32_t b, std::uint32_t t, std::uint32_t g) {
    return [=](const KvView& kv) { kv.k_row(b, 0, t, g); };
  };
  CHECK(message(k_row(0, 0, 0)) == "no error");
  CHECK(message(k_row(2, 0, 0)) == "requests: request 2 is not below 2");
  CHECK(message(k_row(1, 40, 0)) == "seq_lens: token 40 is not below 40");
  CHECK(message(k_row(0, 0, 2)) == "kv_heads: head 2 is not below 2");
  std::vector<std::int32_t> table(m.data<std::int32_t>(TensorId::page_table),
                                  m.data<std::int32_t>(TensorId::page_table) + 8);
  d.page_table.data = table.data();
  table[0] = -5;
  CHECK(message(k_row(0, 0, 0)) == "page_table: page -5 of token 0 of request 0 is negative");
  table[0] = 1000;
  CHECK(message(k_row(0, 0, 0)) == "page_table: page 1000 is not below 8");
  d = m.d;
  d.k.bytes -= 1;
  std::uint32_t last_page_failures = 0;
  for (std::uint32_t b = 0; b < 2; ++b) {
    for (std::uint32_t t = 0; t < m.c.lens[b]; ++t) last_page_failures += message(k_row(b, t, 1)) != "no error";
  }
  CHECK(last_page_failures <= 1);
  d.k_stride_token = -(std::int64_t{1} << 40);
  CHECK(message(k_row(0, 1, 0)) == "k: a negative element offset: a stride or page is negative");
  d = m.d;
  d.seq_lens.data = nullptr;
  CHECK(message(k_row(0, 0, 0)) == "seq_lens: is absent");
}
