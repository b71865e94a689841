// The certificate passes exact kernels and names the one token, page, mask bit, head or sink that a kernel counts
// wrongly, among up to 100,000 tokens and 64 drafts.
#include "properties/property.hpp"
#include "reference/case_line.hpp"
#include "tests/catch.hpp"
#include "tests/properties/counting_runner.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;
using Catch::Matchers::Contains;
using xqacheck::reference::parse_run_line;
using Sequence = CountingRunner::Sequence;

namespace {

// 100,000 tokens beside a short request, pages in random order.
const std::string kLong = "xqa/1 heads=2/1 dim=64 len=100000,70 page=32 seed=5";
const std::string kDrafts = "xqa/1 heads=2/1 dim=64 len=500,130 page=16 draft=64 mask=random seed=4";

Verdict judge(CountingRunner& runner, const std::string& line) {
  Trial trial(parse_run_line(line), runner);
  return judge_property(*property_named("certificate"), trial);
}

// Token `wrong` of request 0 counts `times`.
CountingRunner miscounting(std::int64_t wrong, int times) {
  CountingRunner runner;
  runner.count = [=](const Sequence& s, std::uint32_t, std::uint32_t, std::int64_t t, int seen) {
    return s.request == 0 && t == wrong ? times : seen;
  };
  return runner;
}

// The tokens of block `block` of request 0 lie in page `page`.
CountingRunner misled(std::uint32_t block, std::uint64_t page, std::uint32_t page_tokens) {
  CountingRunner runner;
  runner.place = [=](const Sequence& s, std::uint32_t, std::int64_t t, std::uint64_t place) {
    if (s.request != 0 || t / page_tokens != block) return place;
    return (page * page_tokens + static_cast<std::uint64_t>(t) % page_tokens) * 64;  // one KV head of 64 channels
  };
  return runner;
}

std::int32_t page_of(const std::string& line, std::uint32_t request, std::uint32_t block) {
  const auto problem = xqacheck::reference::make_problem(parse_run_line(line).subject);
  return problem.tensor(xqacheck::reference::TensorId::page_table)
      .as<std::int32_t>()[request * problem.description.table_stride_request + block];
}

}  // namespace

TEST_CASE("certificate: exact kernels pass whatever the format, layout and features") {
  for (const char* line : {
           "xqa/1 heads=4/2 dim=16 len=21,9,5 cap=40 page=8 pad=8/8/8 qpad=8/8",
           "xqa/1 heads=2/1 dim=64 len=3000,1 page=32 q=fp16 kv=int8",
           "xqa/1 heads=2/1 dim=64 len=3000,1 page=0 kv=e4m3 out=e4m3 sinks=log",
           "xqa/1 heads=6/2 dim=32 len=300,77 page=16 layout=pool window=100 sinks=mix",
           "xqa/1 heads=2/1 dim=32 len=90,41 page=8 beam=4",
           "xqa/1 heads=2/1 dim=32 len=90,41 page=8 draft=8 mask=tree tree=0,1,1,2,3,3,4,7 window=12",
           "xqa/1 heads=2/1 dim=32 len=90,41 page=8 table=aliased",
           "xqa/1 heads=2/1 dim=32 len=90,41 page=8 table=prefix",
           "xqa/1 heads=2/1 dim=576/512 len=90,41 page=8",
       }) {
    INFO(line);
    CountingRunner runner;
    const Verdict verdict = judge(runner, line);
    INFO(verdict.message);
    CHECK(verdict.status == Status::passed);
    REQUIRE(verdict.notes.size() == 1);
    CHECK_THAT(verdict.notes[0], Contains("counted exactly once, nothing invisible counted"));
  }
}

TEST_CASE("certificate: one token among 100,000") {
  for (const char* formats : {"", " q=fp16 kv=int8", " kv=e4m3 out=e4m3"}) {
    INFO(formats);
    const std::string line = kLong + formats;
    CountingRunner exact;
    CHECK(judge(exact, line).status == Status::passed);
    CHECK(exact.calls <= 4);  // the plain run and log2(tokens) channels, 63 a run
    for (const std::int64_t token : {0, 77777, 99999}) {
      if (token != 77777 && *formats != '\0') continue;
      CountingRunner missing = miscounting(token, 0), doubled = miscounting(token, 2);
      const Verdict less = judge(missing, line), more = judge(doubled, line);
      CHECK(less.status == Status::failed);
      CHECK_THAT(less.message, Contains("token " + std::to_string(token) + " of request 0 is missing"));
      CHECK(less.evidence.at(0).token == token);
      CHECK(less.evidence.at(0).page == page_of(line, 0, static_cast<std::uint32_t>(token / 32)));
      CHECK(more.status == Status::failed);
      CHECK_THAT(more.message, Contains("token " + std::to_string(token) + " of request 0 is counted twice"));
    }
  }
}

TEST_CASE("certificate: one foreign token among 100,000") {
  // Past the end of the second request, in its last page; and in a page of the other request.
  const auto tail = static_cast<std::uint64_t>(page_of(kLong, 1, 2));
  CountingRunner runner;
  runner.foreign = {(tail * 32 + 70 % 32) * 64};
  const Verdict past = judge(runner, kLong);
  CHECK_THAT(past.message, Contains("slot 6 of page " + std::to_string(tail)));
  CHECK_THAT(past.message, Contains("is no token of request 0"));
  CountingRunner window;
  window.count = [](const Sequence& s, std::uint32_t, std::uint32_t, std::int64_t t, int seen) {
    return s.request == 0 && t == s.length - 5001 ? 1 : seen;
  };
  CHECK_THAT(judge(window, kLong + " window=5000").message,
             Contains("token 94999 of request 0 is counted though invisible"));
}

TEST_CASE("certificate: one wrong page id") {
  for (const char* formats : {"", " kv=e4m3 out=e4m3"}) {
    const std::string line = kLong + formats;
    const std::int32_t own = page_of(line, 0, 1234), other = page_of(line, 0, 2345), neighbour = page_of(line, 1, 0);
    for (const std::int32_t wrong : {other, neighbour}) {
      CountingRunner runner = misled(1234, static_cast<std::uint64_t>(wrong), 32);
      const Verdict verdict = judge(runner, line);
      CHECK(verdict.status == Status::failed);
      CHECK_THAT(verdict.message,
                 Contains("page " + std::to_string(wrong) + " is read in place of page " + std::to_string(own)));
      CHECK(verdict.evidence.at(0).page == wrong);
    }
  }
}

TEST_CASE("certificate: pages and tiles left out or counted twice") {
  const std::pair<int, const char*> all[] = {{32, "page 40 (tokens 1280 to 1311) of request 0 is "},
                                             {64, "64-token tile 20 (tokens 1280 to 1343) of request 0 is "},
                                             {256, "256-token tile 5 (tokens 1280 to 1535) of request 0 is "}};
  for (const auto& [tokens, text] : all)
    for (const int times : {0, 2}) {
      CountingRunner runner;
      runner.count = [tokens = tokens, times](const Sequence& s, std::uint32_t, std::uint32_t, std::int64_t t,
                                              int seen) {
        return s.request == 0 && t / tokens == 1280 / tokens ? times : seen;
      };
      const Verdict verdict = judge(runner, kLong);
      CHECK(verdict.status == Status::failed);
      CHECK_THAT(verdict.message, Contains(text + std::string(times == 0 ? "missing" : "counted twice")));
    }
}

TEST_CASE("certificate: one wrong bit of the mask of 64 drafts") {
  CountingRunner exact;
  CHECK(judge(exact, kDrafts).status == Status::passed);
  int ignored = 0, invented = 0;
  for (const std::uint32_t bit : {0u, 17u, 40u, 63u}) {
    CountingRunner runner;
    bool was_set = false;
    runner.count = [&](const Sequence& s, std::uint32_t row, std::uint32_t, std::int64_t t, int seen) {
      if (s.request != 1 || row != 33 || t != s.drafts_begin() + bit) return seen;
      was_set = seen != 0;
      return 1 - seen;
    };
    const Verdict verdict = judge(runner, kDrafts);
    CHECK(verdict.status == Status::failed);
    CHECK_THAT(verdict.message, Contains("request 1 row 33 head 0: token"));
    CHECK_THAT(verdict.message, Contains("mask bit " + std::to_string(bit) + " of row 33 is " +
                                         (was_set ? "set, but not heeded" : "not set, but taken as set")));
    (was_set ? ignored : invented)++;
  }
  CHECK(ignored > 0);
  CHECK(invented > 0);
}

TEST_CASE("certificate: sinks and heads") {
  const std::string line = "xqa/1 heads=4/2 dim=64 len=9000,500 page=32 sinks=log seed=8";
  for (const char* formats : {"", " kv=e4m3 out=e4m3"}) {
    INFO(formats);
    CountingRunner splits;
    splits.splits = 3;
    CHECK(judge(splits, line + formats).status == Status::passed);
    splits.sink = [](std::uint32_t h, const std::vector<double>& w) { return 3 * w[h]; };
    CHECK_THAT(judge(splits, line + formats).message, Contains("the sink of head 0 is counted 3 times, once a split"));
    splits.sink = [](std::uint32_t, const std::vector<double>&) { return 0.0; };
    CHECK_THAT(judge(splits, line + formats).message, Contains("the sink of head 0 is missing"));
    splits.sink = [](std::uint32_t h, const std::vector<double>& w) { return w[h == 2 ? 3 : h]; };
    CHECK_THAT(judge(splits, line + formats).message, Contains("head 2 counts the sink of head 3"));
  }
  CountingRunner heads;
  heads.place = [](const Sequence&, std::uint32_t g, std::int64_t, std::uint64_t place) {
    return g == 1 ? place - 64 : place;
  };
  CHECK_THAT(judge(heads, line).message, Contains("head 2 reads KV head 0 instead of 1"));
}

TEST_CASE("certificate: LSE counts the tokens too") {
  const std::string line = "xqa/1 heads=2/1 dim=64 len=70000 page=32 lse=1 seed=8";
  CountingRunner exact;
  CHECK(judge(exact, line).status == Status::passed);
  CountingRunner fewer;
  fewer.lse_tokens = -1;
  const Verdict verdict = judge(fewer, line);
  CHECK(verdict.kind == "lse");
  CHECK_THAT(
      verdict.message,
      Contains("request 0 row 0 head 0: LSE says that 69999.0 tokens (sink included) were counted, not 70000.0"));
}

TEST_CASE("certificate: says what it cannot prove") {
  CountingRunner narrow;
  narrow.description_.numerics.p_scale = 3.3f;
  CHECK(judge(narrow, kDrafts).status == Status::unsupported);
  CountingRunner coarse;  // 16-bit partials rounded a thousand times: no output tells one token from none
  coarse.description_.numerics.partial_format = XQACHECK_BF16;
  coarse.description_.numerics.partial_roundings = 100000;
  CHECK(judge(coarse, "xqa/1 heads=1/1 dim=16 len=300 page=32").status == Status::mistrusted);
  CountingRunner exact;
  CHECK(judge(exact, "xqa/1 heads=1/1 dim=16 len=0,0").status == Status::unsupported);
}
