#include "reference/case_grammar.hpp"

#include <array>

#include <fmt/format.h>

#include "reference/case_limits.hpp"
#include "reference/key_kinds.hpp"
#include "reference/list_text.hpp"
#include "reference/names.hpp"

namespace xqacheck::reference {
namespace {

using Text = std::string;
using View = std::string_view;
using Io = KeyIo<Case>;

CaseKey entry(View name, View syntax, View help, Text (*standard)(const Case&), Io io) {
  return {name, syntax, help, standard, io.parse, io.print};
}

// "A/B" where B may be left out when it equals A.
template <auto first, auto second>
constexpr Io io_pair(bool always_both) {
  return {[](View key, View text, Case& c) {
            std::array<std::uint32_t*, 2> values{&(c.*first), nullptr};
            std::uint32_t other = 0;
            const bool both = text.find('/') != View::npos;
            values[1] = &other;
            read_slashed(key, text, values);
            c.*second = both ? other : c.*first;
          },
          always_both ? [](const Case& c) { return fmt::format("{}/{}", c.*first, c.*second); }
                      : [](const Case& c) {
                          return c.*first == c.*second ? fmt::format("{}", c.*first)
                                                       : fmt::format("{}/{}", c.*first, c.*second);
                        }};
}

// Gaps: "A/B/C", zeros at the end may be left out.
template <auto... fields>
constexpr Io io_gaps() {
  return {[](View key, View text, Case& c) {
            std::array<std::uint32_t*, sizeof...(fields)> values{&(c.*fields)...};
            for (std::uint32_t* value : values) *value = 0;
            read_slashed(key, text, values);
          },
          [](const Case& c) { return write_slashed(std::array<std::uint32_t, sizeof...(fields)>{c.*fields...}); }};
}

constexpr Io kLens = {[](View key, View text, Case& c) { c.lens = read_list(key, text, kMaxRequests, c.geo); },
                      [](const Case& c) { return write_list(c.lens); }};

constexpr Io kDraft = {[](View key, View text, Case& c) {
                         c.draft.clear();
                         if (text != "none") c.draft = read_list(key, text, kMaxRequests, c.geo);
                       },
                       [](const Case& c) { return c.draft.empty() ? Text("none") : write_list(c.draft); }};

constexpr Io kTree = {[](View key, View text, Case& c) { c.tree = read_trees(key, text); },
                      [](const Case& c) { return write_trees(c.tree); }};

void parse_mask(View key, View text, Case& c) {
  // A written mask starts with a hexadecimal digit and has no other letters, so that no name can be mistaken for one.
  const bool written = text.find_first_not_of("0123456789abcdefABCDEF,/") == View::npos;
  if (written) {
    c.mask = MaskKind::bits;
    c.bits = read_bits(key, text);
    return;
  }
  const auto names = mask_names();
  const std::size_t known = static_cast<std::size_t>(MaskKind::bits);  // "bits" itself is no word of the line
  c.mask = static_cast<MaskKind>(read_name(key, text, names.first(known)));
}

constexpr Io kMask = {parse_mask, [](const Case& c) {
                        return c.mask == MaskKind::bits ? write_bits(c.bits)
                                                        : Text(mask_names()[static_cast<std::size_t>(c.mask)]);
                      }};

constexpr Io kSinks = {[](View key, View text, Case& c) {
                         const auto names = sink_names();
                         const bool word = text.find_first_not_of("+-.0123456789eE") != View::npos;
                         c.sinks = word ? static_cast<SinkKind>(read_name(key, text, names)) : SinkKind::level;
                         if (!word) c.sink_level = read_float(key, text);
                       },
                       [](const Case& c) {
                         return c.sinks == SinkKind::level ? write_float(c.sink_level)
                                                           : Text(sink_names()[static_cast<std::size_t>(c.sinks)]);
                       }};

constexpr Io kBeam = {[](View key, View text, Case& c) {
                        c.beam_context = kHalfOfLength;
                        std::array<std::uint32_t*, 2> values{&c.beam, &c.beam_context};
                        read_slashed(key, text, values);
                      },
                      [](const Case& c) {
                        return c.beam_context == kHalfOfLength ? fmt::format("{}", c.beam)
                                                               : fmt::format("{}/{}", c.beam, c.beam_context);
                      }};

constexpr Io kRope = {[](View key, View text, Case& c) {
                        const std::size_t slash = text.find('/');
                        c.rope = static_cast<RopeStyle>(read_name(key, text.substr(0, slash), rope_names()));
                        c.rotary_dim = slash == View::npos ? 0 : read_u32(key, text.substr(slash + 1));
                      },
                      [](const Case& c) {
                        const View name = name_of(c.rope);
                        return c.rotary_dim == 0 ? Text(name) : fmt::format("{}/{}", name, c.rotary_dim);
                      }};

constexpr Io kInject = {[](View key, View text, Case& c) { c.inject = read_injections(key, text); },
                        [](const Case& c) { return write_injections(c.inject); }};

constexpr Io kFile = {[](View key, View text, Case& c) {
                        const std::size_t hash = text.find('#');
                        if (hash == View::npos || hash == 0) {
                          throw CaseError(
                              Text(key), Text(text),
                              "write PATH#HASH with the xxh64 of the file in hexadecimal (xxhsum -H64 PATH)");
                        }
                        c.file = percent_decode(key, text.substr(0, hash));
                        c.file_hash = read_hex(key, text.substr(hash + 1), 16);
                      },
                      [](const Case& c) {
                        return c.file.empty() ? Text() : fmt::format("{}#{:016x}", percent_encode(c.file), c.file_hash);
                      }};

Text scale_default(const Case& c) {
  return write_float(default_kv_scale(c.kv));
}
Text as_q(const Case& c) {
  return Text(name_of(c.q));
}

// Default of draft: the sizes of the trees; of mask: what the keys before it call for.
Text draft_default(const Case& c) {
  if (c.tree.empty()) return "none";
  std::vector<std::uint32_t> sizes;
  for (const Tree& tree : c.tree) sizes.push_back(static_cast<std::uint32_t>(tree.size()));
  return write_list(sizes);
}
Text mask_default(const Case& c) {
  return !c.tree.empty() ? "tree" : c.draft.empty() ? "none" : "causal";
}

template <char... text>
Text fixed(const Case&) {
  return {text...};
}
constexpr auto kZero = fixed<'0'>, kOne = fixed<'1'>;
Text nothing(const Case&) {
  return {};
}
Text none(const Case&) {
  return "none";
}

std::vector<CaseKey> make_keys() {
  using C = Case;
  return {
      entry(
          "heads", "HQ/HKV", "query heads and KV heads of a token; HQ alone means as many KV heads",
          [](const C&) -> Text { return "8/1"; }, io_pair<&C::q_heads, &C::kv_heads>(true)),
      entry(
          "dim", "D or D/DV", "head dimension: a multiple of 16 up to 256; 576/512 is MLA, where V is part of K",
          [](const C&) -> Text { return "128"; }, io_pair<&C::dim, &C::dim_v>(false)),
      entry(
          "len", "LIST",
          "tokens of each request, the newest or all drafts included: 513,64,0 or 8192x128 or "
          "uniform(1,4096)x64",
          [](const C&) -> Text { return "64"; }, kLens),
      entry("cap", "N", "capacity of a request in tokens; 0: the longest length rounded up to a page", kZero,
            io_u32<C, &C::capacity>()),
      entry(
          "page", "N", "tokens of a page, a power of two; 0: contiguous", [](const C&) -> Text { return "32"; },
          io_u32<C, &C::page>()),
      entry(
          "layout", "NAME", "order of a page: token, head (nhd), head, token (hnd), or one XQA pool for K and V (pool)",
          [](const C&) -> Text { return "nhd"; }, io_name<C, &C::layout, layout_names>()),
      entry("pad", "P/T/H", "unused elements after every page, token and head of K and V", kZero,
            io_gaps<&C::pad_page, &C::pad_token, &C::pad_head>()),
      entry("qpad", "R/H", "unused elements after every row and head of q", kZero,
            io_gaps<&C::q_pad_row, &C::q_pad_head>()),
      entry("outpad", "R/H", "unused elements after every row and head of the output", kZero,
            io_gaps<&C::out_pad_row, &C::out_pad_head>()),
      entry("tpad", "N", "unused entries after every row of the page table", kZero, io_u32<C, &C::table_pad>()),
      entry(
          "q", "fp16 or bf16", "number format of q", [](const C&) -> Text { return "bf16"; },
          io_name<C, &C::q, dtype_names>()),
      entry("kv", "NAME", "number format of K and V: that of q, int8 or e4m3", as_q, io_name<C, &C::kv, dtype_names>()),
      entry("out", "NAME", "number format of the output: that of q, or e4m3", as_q, io_name<C, &C::out, dtype_names>()),
      entry("qscale", "X", "multiplies the scores", kOne, io_float<C, &C::q_scale>()),
      entry("kscale", "X", "stored K * kscale = K", scale_default, io_float<C, &C::k_scale>()),
      entry(
          "vscale", "X", "stored V * vscale = V; for MLA that of K",
          [](const C& c) { return c.mla() ? write_float(c.k_scale) : scale_default(c); }, io_float<C, &C::v_scale>()),
      entry("rcpout", "X", "e4m3 output = value * rcpout", kOne, io_float<C, &C::rcp_out_scale>()),
      entry(
          "table", "NAME", "which pages the blocks take",
          [](const C& c) -> Text { return c.page == 0 ? "identity" : "shuffled"; },
          io_name<C, &C::table, table_names>()),
      entry(
          "unused", "NAME", "table entries past the end of a request: an unused page, 0, -1 or 2^31 - 1",
          [](const C&) -> Text { return "spare"; }, io_name<C, &C::unused, unused_names>()),
      entry(
          "spare", "N", "unused pages in the pool, filled with poison",
          [](const C& c) -> Text { return c.page == 0 ? "0" : "2"; }, io_u32<C, &C::spare>()),
      entry(
          "tail", "NAME", "what tokens of the last page past the end hold: random or largest finite values, zeros, NaN",
          [](const C&) -> Text { return "random"; }, io_name<C, &C::tail, tail_names>()),
      entry("sinks", "X or NAME", "attention sinks: head h has logit X + h mod 4, or one of none log mix extreme", none,
            kSinks),
      entry("window", "N", "sliding window: the last N tokens are visible; 0: all", kZero, io_u32<C, &C::window>()),
      entry("tree", "PARENTS", "draft trees: 1-based parent of each draft, 0 = the context; requests separated by /",
            nothing, kTree),
      entry("draft", "LIST", "draft tokens (query rows) of all requests, or one number a request; none: plain decode",
            draft_default, kDraft),
      entry("mask", "NAME or ROWS",
            "which drafts a draft attends: causal full random, or rows of hexadecimal bits, "
            "requests separated by /",
            mask_default, kMask),
      entry("beam", "W or W/C", "beam width, and tokens shared by the beams (half of the length if left out)", kOne,
            kBeam),
      entry("skip", "X", "skip-softmax factor; 0: never skip", kZero, io_float<C, &C::skip>()),
      entry("rope", "NAME or NAME/R",
            "fused RoPE on the first R channels (all if left out); the newest K and V are "
            "appended to the cache",
            none, kRope),
      entry("bias", "0 or 1", "add a bias to q, K and V before RoPE", kZero, io_flag<C, &C::bias>()),
      entry("lse", "0 or 1", "ask for the log-sum-exp output", kZero, io_flag<C, &C::lse>()),
      entry(
          "data", "NAME", "what q, K and V hold", [](const C&) -> Text { return "normal"; },
          io_name<C, &C::data, data_names>()),
      entry("inject", "V@T:B:I",
            "nan, inf, minf or huge written to token (row of q) I of request B, channel 0, all "
            "heads, of q, k or v; comma-separated",
            nothing, kInject),
      entry("file", "PATH#HASH", "q, K and V from a .safetensors file with this xxh64", nothing, kFile),
      entry("geo", "N", "seed of page tables, random masks, beams and drawn lengths", kZero, io_u64<C, &C::geo>()),
      entry("seed", "N", "seed of tensor contents", kZero, io_u64<C, &C::seed>()),
  };
}

}  // namespace

const std::vector<CaseKey>& case_keys() {
  static const std::vector<CaseKey> keys = make_keys();
  return keys;
}

}  // namespace xqacheck::reference
