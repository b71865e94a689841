// Recipe: the arithmetic of one kernel family, as data. An emulator (hmma.cpp, gmma.cpp) carries it out phase by phase.
//
// The defaults of hmma_recipe() and gmma_recipe() are those of the public XQA kernels on sm_90a, proven by recorded runs
// (doc/recipes.md says which field by which). Every other value of a field is a kernel that differs in one step: that is
// how wrong recipes are told from right ones, and how a user describes his own variant.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "emulation/arith/instruction.hpp"
#include "emulation/kernels/roundings.hpp"

namespace xqacheck::emulation {

enum class Family : std::uint8_t {
  hmma,  // mma.sync: 256-token CTA tiles, two planes of warps, row-maximum hints, 16-bit P
  gmma   // wgmma: 64-token tiles, P scaled by 448; e4m3 operands (QGMMA) or 16 bit (HGMMA) by the type of the cache
};

// Which row maximum a tile's probabilities are relative to (hmma): the hint that the consumer hands back.
enum class HintPolicy : std::uint8_t {
  owner,       // updated only by the warp group that owns the tile's slot, and not when the tile rescaled nothing
  every_tile,  // updated after every tile
  never        // the tile's own maximum only
};

enum class RowSumSource : std::uint8_t {
  rounded_p,  // the P that enters the second product
  exact_p,    // the f32 value before rounding
  rounded_x   // the scaled and rounded P, divided by its scale
};

enum class RowSumOrder : std::uint8_t {
  matrix,  // matrix steps against ones, k ascending
  strips,  // per 16 tokens: halves, quarters, then (b0 + b2) + (b1 + b3): keys on the M side
  quads,   // per thread of a quad over the tile, then (t0 + t2) + (t1 + t3): queries on the M side
  tokens   // plain token order
};

enum class MaskValue : std::uint8_t { lowest, finite };             // -FLT_MAX, -1e5
enum class ExpForm : std::uint8_t { fma, product };                 // ex2(fma(s, log2e, -(m log2e))), ex2((s - m) log2e)
enum class Ex2Unit : std::uint8_t { approx, rounded };              // of P: MUFU.EX2, correctly rounded
enum class Reciprocal : std::uint8_t { rounded, approx };           // rcp.rn, MUFU.RCP
enum class PRescale : std::uint8_t { product16, f32 };              // P * round16(x) in 16 bit, or round16(P * x)
enum class POperand : std::uint8_t { unit, half };                       // format of P: of the matrix unit, or 16 bit (no hardware: exact steps only)
enum class SkipAllRows : std::uint8_t { block, queries };           // rows without a query take part in skip-all, or not
enum class TileAdd : std::uint8_t { half, f32 };                    // how the groups' tiles are added at the end of a split
enum class GroupExchange : std::uint8_t { fma, mul_add };           // sum * u + sum_o * v
enum class GroupFactors : std::uint8_t { own, first };              // each group rescales by its own factors, or by group 0's
enum class ScaleOrder : std::uint8_t { q_kv_root, q_kvroot };       // (q * kv) * r, q * (kv * r)
enum class Root : std::uint8_t { rounded, approx };                 // 1/sqrt(D) correctly rounded, rsqrt.approx
enum class SplitOrder : std::uint8_t { strided, contiguous };       // which tiles a split takes
enum class MergeOrder : std::uint8_t { running, global_max };       // gmma: running maximum in split order, or two passes
enum class OutputFactor : std::uint8_t { folded, separate };        // acc * (1/sum * scale), or (acc * 1/sum) * scale
enum class SinkIndex : std::uint8_t { kernel, true_head, ignored }; // drafts: the head whose sink a row really gets
enum class DraftMask : std::uint8_t { tensor, causal };             // the mask tensor, or causal whatever it holds
enum class DraftWindow : std::uint8_t { per_row, last_row };        // window start of each row, or of the last for all
enum class KeysOnM : std::uint8_t { decode, always };               // gmma: M side of the first product: keys in decode only, or in drafts too

struct Recipe {
  Family family = Family::hmma;
  std::string arch = "sm_90";      // whose matrix unit
  std::string toolkit = "13.0";    // whose lowering of divisions and roots

  // -- tiles and splits --
  std::uint32_t cta_tile = 256;    // tokens that a thread block takes at a time: the unit of split plans and window skips
  SplitOrder splits = SplitOrder::strided;
  KeysOnM keys_on_m = KeysOnM::decode;

  // -- first product and scores --
  std::optional<arith::DotRule> half_rule, e4m3_rule;  // replace the rule of the architecture's instruction
  ScaleOrder scale_order = ScaleOrder::q_kv_root;
  Root root = Root::rounded;
  MaskValue mask_decode = MaskValue::lowest, mask_draft = MaskValue::finite;
  DraftMask draft_mask = DraftMask::tensor;
  DraftWindow draft_window = DraftWindow::per_row;
  std::uint32_t extra_window = 0;  // tokens that the window reaches too far back

  // -- softmax --
  HintPolicy hint = HintPolicy::owner;
  SkipAllRows skip_all = SkipAllRows::block;
  ExpForm exp_form = ExpForm::fma;
  Ex2Unit ex2 = Ex2Unit::approx;
  float p_scale = 1;               // P is multiplied by it before it is rounded …
  float p_unscale = 1;             // … and the output by the reciprocal of this
  POperand p_operand = POperand::unit;
  RowSumSource row_sum_source = RowSumSource::rounded_p;
  RowSumOrder row_sum_decode = RowSumOrder::matrix, row_sum_draft = RowSumOrder::matrix;
  PRescale p_rescale = PRescale::product16;

  // -- end of a split --
  GroupExchange exchange = GroupExchange::fma;
  GroupFactors factors = GroupFactors::own;
  TileAdd tile_add = TileAdd::half;
  Reciprocal split_reciprocal = Reciprocal::rounded;
  OutputFactor output_factor = OutputFactor::folded;
  SinkIndex sink = SinkIndex::kernel;

  // -- merge and output --
  MergeOrder merge = MergeOrder::running;
  Reciprocal merge_reciprocal = Reciprocal::rounded;
  bool e4m3_through_half = true;         // one split: e4m3 output is rounded to 16 bit first
  bool merged_e4m3_through_half = true;  // several splits

  RoundingSet roundings;  // all on: the hardware; a rounding that is off is carried out in fp64

  bool operator==(const Recipe&) const;
};

Recipe hmma_recipe();
Recipe gmma_recipe();

struct RecipeError : std::runtime_error { using std::runtime_error::runtime_error; };

// "key=value key=value" over the defaults of a family ("hmma", "gmma"); throws RecipeError that names the key, and the
// values that it takes. print_parameters() gives back what differs from the defaults.
Recipe parse_recipe(std::string_view family, std::string_view arch, std::string_view toolkit, std::string_view parameters);
std::string print_parameters(const Recipe& recipe);
Recipe with_parameters(const Recipe& recipe, std::string_view parameters);  // the same, over any recipe

const char* name_of(Family family);

}  // namespace xqacheck::emulation
