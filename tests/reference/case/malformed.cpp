// Malformed case and run lines: each is refused with a message that names the field, the value and what is allowed.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "reference/case_limits.hpp"
#include "reference/run_line.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::reference;

namespace {

struct Malformed {
  const char* line;
  const char* message;  // must be part of what() …
  const char* field;    // … and this the field
};

// clang-format off
constexpr Malformed kLines[] = {
    // the line as a whole
    {"", "is empty; a case line starts with xqa/1", "line"},
    {"   \t ", "is empty", "line"},
    {"heads=8/1", "line=heads=8/1: a case line starts with xqa/1", "line"},
    {"xqa/2 heads=8/1", "line=xqa/2: this tool reads version xqa/1; use the tool that wrote the line", "line"},
    {"xqa/", "this tool reads version xqa/1", "line"},
    {"xqa1 len=4", "(did you mean 'xqa/1'?)", "line"},
    {"xqa/1 haeds=8/1", "haeds: unknown key; keys are heads dim len", "haeds"},
    {"xqa/1 haeds=8/1", "(did you mean 'heads'?)", "haeds"},
    {"xqa/1 LEN=8", "unknown key", "LEN"},
    {"xqa/1 windows=8", "(did you mean 'window'?)", "windows"},
    {"xqa/1 len", "len: needs a value: LIST", "len"},
    {"xqa/1 len=", "len: needs a value: LIST", "len"},
    {"xqa/1 =8", "unknown key", ""},
    {"xqa/1 seed=1 seed=2", "seed=2: given twice", "seed"},
    {"xqa/1 len=4 \x01=3", "\\x01: unknown key", "\\x01"},
    // numbers
    {"xqa/1 len=-1", "len=-1: must be a whole number from 0 to 4294967295", "len"},
    {"xqa/1 len=4294967296", "len=4294967296: must be a whole number from 0 to 4294967295", "len"},
    {"xqa/1 len=1e3", "len=1e3: must be a whole number", "len"},
    {"xqa/1 seed=18446744073709551616", "seed=18446744073709551616: must be a whole number from 0 to 18446744073709551615", "seed"},
    {"xqa/1 qscale=nan", "qscale=nan: must be a finite number", "qscale"},
    {"xqa/1 qscale=1e39", "qscale=1e39: must be a finite number that fp32 can hold", "qscale"},
    {"xqa/1 qscale=1,5", "qscale=1,5: must be a finite number", "qscale"},
    {"xqa/1 qscale=0", "qscale=0: must be positive", "qscale"},
    {"xqa/1 lse=yes", "lse=yes: must be 0 or 1", "lse"},
    // lists
    {"xqa/1 len=8,,8", "len=8,,8: needs numbers separated by commas", "len"},
    {"xqa/1 len=8x", "must be a whole number", "len"},
    {"xqa/1 len=8x0", "a repeat count must be at least 1", "len"},
    {"xqa/1 len=1x65537", "len=1x65537: at most 65536 numbers", "len"},
    {"xqa/1 len=1x65536,1", "at most 65536 numbers", "len"},
    {"xqa/1 len=1x4294967295,1x4294967295", "at most 65536 numbers", "len"},
    {"xqa/1 len=uniform(9,1)x4", "the first bound of uniform(LOW,HIGH) must not be above the second", "len"},
    {"xqa/1 len=uniform(1)x4", "write uniform(LOW,HIGH)", "len"},
    {"xqa/1 len=uniform(1,2", "write uniform(LOW,HIGH)", "len"},
    {"xqa/1 len=16777217", "len=16777217: at most 16777216", "len"},
    {"xqa/1 len=16777216x65536", "would take", "len"},
    // shape
    {"xqa/1 heads=8/3", "heads=8/3: query heads must be a multiple of KV heads", "heads"},
    {"xqa/1 heads=8/0", "heads=8/0: query heads must be a multiple of KV heads, both at least 1", "heads"},
    {"xqa/1 heads=1/2/3", "heads=1/2/3: must be at most 2 numbers separated by /", "heads"},
    {"xqa/1 heads=8192/1", "heads=8192: at most 4096", "heads"},
    {"xqa/1 dim=100", "dim=100/100: must be a multiple of 16 from 16 to 256, or 576/512 (MLA)", "dim"},
    {"xqa/1 dim=128/64", "dim=128/64: must be a multiple of 16", "dim"},
    {"xqa/1 page=48", "page=48: must be 0 (contiguous) or a power of two up to 1024", "page"},
    {"xqa/1 len=100 cap=99", "cap=99: must be 0 or at least the longest length, 100", "cap"},
    {"xqa/1 layout=ndh", "layout=ndh: must be one of nhd hnd pool (did you mean 'nhd'?)", "layout"},
    {"xqa/1 page=0 layout=pool", "layout=pool: one pool for K and V needs pages", "layout"},
    {"xqa/1 dim=576/512 layout=pool", "layout=pool: MLA has one tensor for K and V", "layout"},
    {"xqa/1 pad=1/2/3/4", "pad=1/2/3/4: must be at most 3 numbers", "pad"},
    {"xqa/1 pad=9999999", "pad=9999999: at most 1048576", "pad"},
    // formats and scales
    {"xqa/1 kv=fp8", "kv=fp8: must be one of fp16 bf16 int8 e4m3", "kv"},
    {"xqa/1 q=e4m3", "q=e4m3: must be fp16 or bf16", "q"},
    {"xqa/1 q=fp16 kv=bf16", "kv=bf16: must be fp16 (the format of q), int8 or e4m3", "kv"},
    {"xqa/1 out=int8", "out=int8: must be bf16 (the format of q) or e4m3", "out"},
    {"xqa/1 kscale=0.5", "kscale=0.5: 16-bit caches have scale 1", "kscale"},
    {"xqa/1 kv=e4m3 vscale=-1", "vscale=-1: must be positive and finite", "vscale"},
    {"xqa/1 rcpout=2", "rcpout=2: only out=e4m3 has an output scale", "rcpout"},
    {"xqa/1 dim=576/512 kv=e4m3 kscale=0.5 vscale=1", "vscale=1: MLA has one tensor for K and V: use kscale", "vscale"},
    // pages
    {"xqa/1 table=suffled", "(did you mean 'shuffled'?)", "table"},
    {"xqa/1 page=0 table=shuffled", "table=shuffled: page=0 has no page table: use identity", "table"},
    {"xqa/1 spare=0", "spare=0: unused=spare needs at least one unused page", "spare"},
    {"xqa/1 page=0 spare=2", "spare=2: page=0 has no unused pages", "spare"},
    {"xqa/1 kv=int8 tail=nan", "tail=nan: int8 has no NaN", "tail"},
    // variants
    {"xqa/1 sinks=sometimes", "sinks=sometimes: must be one of none level log mix extreme", "sinks"},
    {"xqa/1 sinks=1e99", "sinks=1e99: must be a finite number", "sinks"},
    {"xqa/1 mask=causal", "mask=causal: needs draft=", "mask"},
    {"xqa/1 draft=2 mask=casual", "(did you mean 'causal'?)", "mask"},
    {"xqa/1 draft=2 mask=none", "mask=none: draft tokens need a mask", "mask"},
    {"xqa/1 len=8,8 draft=1,2,3", "draft=1,2,3: must be one number, or one for each of the 2 requests", "draft"},
    {"xqa/1 len=3 draft=4", "len=3: request 0 has 4 draft tokens, which its length includes", "len"},
    {"xqa/1 draft=0", "draft=0: needs at least one draft token in all", "draft"},
    {"xqa/1 draft=2 mask=1", "mask=<1 entries>: request 0 has 2 draft tokens", "mask"},
    {"xqa/1 draft=2 mask=1,4", "mask=4: request 0 has 2 draft tokens: higher bits must be 0", "mask"},
    {"xqa/1 len=64 draft=40 mask=1", "draft=40: at most 32", "draft"},
    {"xqa/1 tree=0,3", "tree=3: the parent of draft 2 must be 0 to 1", "tree"},
    {"xqa/1 tree=0,1 draft=3", "tree=<2 entries>: request 0 has 3 draft tokens", "tree"},
    {"xqa/1 tree=0,1 mask=causal", "mask=causal: tree= and no other mask go together", "mask"},
    {"xqa/1 len=9,9,9 tree=0/0", "tree=<2 pieces>: must be one for all, or one for each of the 3 requests", "tree"},
    {"xqa/1 beam=0", "beam=0: must be 1 to 16", "beam"},
    {"xqa/1 beam=4 draft=2", "beam=4: beams and draft tokens exclude each other", "beam"},
    {"xqa/1 beam=1/7", "beam=1/7: a shared context needs a width above 1", "beam"},
    {"xqa/1 skip=-1", "skip=-1: must be finite and not negative", "skip"},
    {"xqa/1 rope=neox/24", "rope=neox/24: the rotary dimension must be a multiple of 16 up to 128", "rope"},
    {"xqa/1 rope=neox/144", "rope=neox/144: the rotary dimension must be a multiple of 16 up to 128", "rope"},
    {"xqa/1 rope=neox len=0", "len=0: rope= appends a token to request 0: at least 1", "len"},
    {"xqa/1 rope=neox table=aliased", "rope=neox: table=aliased would append two tokens to one place", "rope"},
    {"xqa/1 bias=1", "bias=1: the bias belongs to fused RoPE: add rope=", "bias"},
    // data
    {"xqa/1 data=norml", "(did you mean 'normal'?)", "data"},
    {"xqa/1 kv=e4m3 data=neginf", "data=neginf: needs a cache that can hold -inf", "data"},
    {"xqa/1 inject=nan", "inject=nan: write VALUE@TENSOR:REQUEST:TOKEN", "inject"},
    {"xqa/1 inject=nan@x:0:0", "inject=x: must be one of q k v", "inject"},
    {"xqa/1 inject=nan@k:1:0", "inject=nan@k:1:0: there are 1 requests", "inject"},
    {"xqa/1 inject=nan@k:0:64", "inject=nan@k:0:64: request 0 has 64 tokens", "inject"},
    {"xqa/1 kv=e4m3 inject=inf@v:0:0", "inject=inf@v:0:0: e4m3 cannot hold this value", "inject"},
    {"xqa/1 file=a.safetensors", "file=a.safetensors: write PATH#HASH", "file"},
    {"xqa/1 file=#12", "write PATH#HASH", "file"},
    {"xqa/1 file=a#12345678901234567", "must be 1 to 16 hexadecimal digits", "file"},
    {"xqa/1 file=a%2#1", "a % must be followed by two hexadecimal digits", "file"},
    {"xqa/1 file=a%00b#1", "must not contain a NUL byte", "file"},
    // run lines
    {"xqa/1 @", "needs keys behind @", "line"},
    {"xqa/1 @ kernel=a @ prop=b", "a run line has one @", "line"},
    {"xqa/1 @ kernal=a", "(did you mean 'kernel'?)", "kernal"},
    {"xqa/1 kernel=a", "kernel: unknown key", "kernel"},
    {"xqa/1 @ device=gpu", "device=gpu: must be one of host cuda", "device"},
    {"xqa/1 @ device=host:1", "device=host:1: only cuda devices are numbered", "device"},
    {"xqa/1 @ plan=0", "plan=0: a forced split count is 1 to 65535", "plan"},
    {"xqa/1 @ plan=99999999999", "plan=99999999999: must be a whole number", "plan"},
    {"xqa/1 @ place=middle", "place=middle: must be one of plain end begin", "place"},
    {"xqa/1 @ fill=nan/ones", "fill=ones: must be one of zero nan huge random", "fill"},
    {"xqa/1 @ runs=0", "runs=0: 1 to 1000000", "runs"},
    {"xqa/1 @ pdl=2", "pdl=2: must be 0 or 1", "pdl"},
    {"xqa/1 @ launch=grahp", "launch=grahp: must be one of plain producer pdl graph load (did you mean 'graph'?)", "launch"},
    {"xqa/1 @ tool=1.0 tool=1.0", "tool=1.0: given twice", "tool"},
    {"xqa/3 @ tool=1.0", "this tool reads version xqa/1", "line"},
};
// clang-format on

}  // namespace

TEST_CASE("malformed lines are refused by field", "[case]") {
  for (const Malformed& m : kLines) {
    INFO(m.line);
    try {
      parse_run_line(m.line);
      FAIL("was read");
    } catch (const CaseError& error) {
      CHECK_THAT(std::string(error.what()), Catch::Contains(m.message));
      CHECK(error.field == m.field);
    }
  }
}

TEST_CASE("a line cannot exhaust memory", "[case]") {
  CHECK_THROWS_WITH(parse_run_line("xqa/1 len=" + std::string(kMaxLine, '1')),
                    Catch::Contains("at most 4194304 are read"));
  std::string trees = "xqa/1 len=4096 tree=0";
  for (int i = 1; i <= 1024; ++i) trees += ",0";
  CHECK_THROWS_WITH(parse_run_line(trees), Catch::Contains("at most 1024 draft tokens"));
  std::string injections = "xqa/1 inject=nan@k:0:0";
  for (int i = 0; i < 256; ++i) injections += ",nan@k:0:0";
  CHECK_THROWS_WITH(parse_run_line(injections), Catch::Contains("at most 256 injections"));
}

TEST_CASE("messages stay short and printable whatever the line holds", "[case]") {
  for (const std::string& bad : {"xqa/1 q=" + std::string(100000, 'x'), "xqa/1 " + std::string(100000, '\xFF') + "=1",
                                 std::string("xqa/1 file=a\x1b[31m#12")}) {
    try {
      parse_run_line(bad);
      FAIL("was read");
    } catch (const CaseError& error) {
      const std::string text = error.what();
      CHECK(text.size() < 500);
      CHECK(std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7F; }));
    }
  }
}
