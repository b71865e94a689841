// Case: everything that determines one attention call, as a value. One line of text: see doc/case-line.md.
//
//   xqa/1 heads=16/2 dim=128 len=513,64,0 page=32 layout=nhd q=bf16 kv=e4m3 table=shuffled sinks=2 window=256
//   data=normal seed=7
//
// Keys in canonical order; a key that holds its default is not printed. parse(print(c)) == c.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace xqacheck::reference {

enum class Dtype : std::uint8_t { fp16, bf16, int8, e4m3 };
enum class Layout : std::uint8_t { nhd, hnd, pool };  // pool: K and V tables in one pool, page [head][token][channel]
enum class TableKind : std::uint8_t { identity, shuffled, reversed, prefix, aliased, far };
enum class UnusedEntries : std::uint8_t {
  spare,
  zero,
  minus,
  huge
};                                                              // what table entries past the end of a request hold
enum class TailKind : std::uint8_t { random, max, zero, nan };  // tokens of the last page past the end of a request
enum class MaskKind : std::uint8_t { none, causal, full, random, tree, bits };
enum class RopeStyle : std::uint8_t { none, neox, gptj, longrope };
// Sink logits of query head h. level: sink_level + h mod 4. log: near the log of the longest length. mix: a third near
// it, the rest 12, 25, 60.5, 88, -30, -75.25. extreme: 10000, -10000, 95, -0.125.
enum class SinkKind : std::uint8_t { none, level, log, mix, extreme };
enum class DataKind : std::uint8_t {
  normal,    // N(0, 1)
  uniform,   // U(-1, 1)
  peaky,     // normal with q scaled so that the score deviation is about 10
  peaky5,    // … about 5
  outlier,   // a few channels of K (and q) 20 times larger
  massive,   // the first tokens are massive-activation sink tokens
  heavy,     // heavy tail: normal to the third power, clipped
  ties,      // keys drawn from five vectors
  onehot,    // one key dominates every row
  constant,  // V is 1 everywhere, K one vector
  ints,      // sparse small integers: sums are exact in any format
  kzero,     // K = 0: uniform softmax
  qzero,     // q = 0: uniform softmax
  pow2,      // q = 0 and K = 0, V random signed powers of two
  coded,     // q = 0 and V a code of the token's identity, exactly summable (certificate)
  grow,      // every tile raises the row maximum
  neginf,    // all logits -inf (16-bit K holds -inf, q positive); 16-bit caches only
  tiny,      // scores near 0
  wide,      // every value scaled by a random power of two
  denormal,  // V made of subnormal numbers of its format
  huge,      // scores of some ten thousands
};

// One value written over the generated data: `inject=nan@v:0:5` puts a NaN in token 5 of request 0 of V (all heads,
// channel 0).
struct Injection {
  enum class Value : std::uint8_t { nan, inf, minf, huge } value = Value::nan;
  enum class Tensor : std::uint8_t { q, k, v } tensor = Tensor::v;
  std::uint32_t request = 0;
  std::uint32_t token = 0;  // q: draft row
  bool operator==(const Injection&) const = default;
};

// Draft trees: parents[request][i] is 1 + the parent of draft i, 0 = the context. One entry serves all requests.
using Tree = std::vector<std::uint32_t>;

// Case::beam_context when half of each length, rounded down, is shared.
inline constexpr std::uint32_t kHalfOfLength = 0xFFFFFFFFu;

struct Case {
  // shape
  std::uint32_t q_heads = 8, kv_heads = 1;
  std::uint32_t dim = 128, dim_v = 128;    // `dim=576/512` for MLA
  std::vector<std::uint32_t> lens = {64};  // newest token or all drafts included; `8192x128`, `uniform(1,4096)x64`
  std::uint32_t capacity = 0;              // `cap=`: max_seq_len; 0: the longest length rounded up to a page
  std::uint32_t page = 32;                 // 0: contiguous
  Layout layout = Layout::nhd;
  std::uint32_t pad_page = 0, pad_token = 0,
                pad_head = 0;                       // `pad=P/T/H`: unused elements after every page, token, head
  std::uint32_t q_pad_row = 0, q_pad_head = 0;      // `qpad=R/H`: the same after every row and head of q
  std::uint32_t out_pad_row = 0, out_pad_head = 0;  // `outpad=R/H`: … of the output
  std::uint32_t table_pad = 0;                      // `tpad=N`: unused entries after every row of the page table
  // formats
  Dtype q = Dtype::bf16, kv = Dtype::bf16, out = Dtype::bf16;  // default of kv and out: as q
  float q_scale = 1, k_scale = 1,
        v_scale = 1;        // `qscale= kscale= vscale=`; default of k, v: 1/4 for e4m3, 1/32 for int8, else 1
  float rcp_out_scale = 1;  // `rcpout=`: e4m3 output = value * rcpout
  // pages
  TableKind table = TableKind::shuffled;  // identity if page is 0
  UnusedEntries unused = UnusedEntries::spare;
  std::uint32_t spare = 2;  // unused pages in the pool, filled with poison; 0 if page is 0
  TailKind tail = TailKind::random;
  // variants
  SinkKind sinks = SinkKind::none;
  float sink_level = 0;  // `sinks=2`: logit of query head h is level + h mod 4
  std::uint32_t window = 0;
  std::vector<std::uint32_t> draft;  // empty: decode; one entry: all requests; else one a request (ragged)
  MaskKind mask = MaskKind::none;    // none for decode, else causal unless said otherwise
  std::vector<Tree> tree;            // mask == tree: one, or one a request
  std::vector<std::vector<std::uint32_t>>
      bits;  // mask == bits: rows of one, or of every request (at most 32 drafts a row here)
  std::uint32_t beam = 1;
  std::uint32_t beam_context =
      kHalfOfLength;  // tokens shared by the beams: `beam=4/100`; `beam=4`: half of each length
  float skip = 0;     // skip-softmax factor
  RopeStyle rope = RopeStyle::none;
  std::uint32_t rotary_dim = 0;  // `rope=neox/64`; 0: all of dim
  bool bias = false;             // QKV bias before RoPE
  bool lse = false;              // ask for the LSE output
  // data
  DataKind data = DataKind::normal;
  std::vector<Injection> inject;
  std::string file;             // `file=<path>#<xxh64 hex>`: tensors from a .safetensors file, see doc/data.md
  std::uint64_t file_hash = 0;  // xxh64 (seed 0) of the whole file
  std::uint64_t geo = 0;        // seed of page tables, random masks and drawn lengths
  std::uint64_t seed = 0;       // seed of tensor contents

  bool operator==(const Case&) const = default;

  std::uint32_t requests() const { return static_cast<std::uint32_t>(lens.size()); }
  std::uint32_t group() const { return q_heads / kv_heads; }
  std::uint32_t rows(std::size_t request) const;  // query rows of a request, beams not counted
  std::uint32_t max_rows() const;                 // most rows of one request
  std::uint32_t max_len() const;                  // longest length, 0 if there is none
  std::uint32_t max_seq_len() const;              // capacity, or its default; at least 1
  bool mla() const { return dim_v != dim; }       // K and V are the same storage
};

// The same case with every field that others decide brought in line with them: page 0 means identity table and no spare
// pages, a 16-bit cache has the dtype of q and scale 1, and so on. What generators and shrinkers call after changing a
// field; whatever parse_case returns is already settled. `validate` (reference/case_line.hpp) says what is still
// contradictory.
Case settled(Case unsettled);

// Bytes of one element, and whether the format is a 16-bit float.
constexpr std::size_t bytes_of(Dtype dtype) {
  return dtype == Dtype::fp16 || dtype == Dtype::bf16 ? 2 : 1;
}
constexpr bool is_16bit(Dtype dtype) {
  return bytes_of(dtype) == 2;
}

// Default of kscale and vscale: puts N(0, 1) data in the middle of the format's range.
constexpr float default_kv_scale(Dtype kv) {
  return kv == Dtype::e4m3 ? 0.25f : kv == Dtype::int8 ? 0.03125f : 1.0f;
}

}  // namespace xqacheck::reference
