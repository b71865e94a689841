// Context: everything that the filters of one run share, and the rows of one (sequence, KV head) as matrices.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/filters/evidence.hpp"
#include "reference/golden.hpp"
#include "reference/golden/append.hpp"
#include "reference/golden/cache_reader.hpp"
#include "reference/golden/rounding_model.hpp"
#include "reference/golden/sequence.hpp"

namespace xqacheck::reference::filters {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

struct Context {
  // `splits`: sub-sequences that the run used, 0 where that is not known.
  Context(const xqacheck_problem& problem, const Golden& golden, const xqacheck_numerics* numerics,
          std::span<const double> got, std::uint32_t splits = 0);

  const xqacheck_problem& problem;
  const Golden& golden;
  std::uint32_t p_dtype;  // format of P
  double p_scale;
  RoundingModel model;
  Sight sight;
  Queries queries;
  Appended appended;
  CacheReader reader;
  Evidence evidence;
  std::vector<double> sinks;  // natural-log logit a query head, -inf without sinks
  double score_scale;         // q_scale * k_scale / sqrt(head_dim)
  double out_scale;           // v_scale * rcp_out_scale
  std::uint32_t splits;
  // Empty, or what the rounding of P adds to every element, found by reference/filters/alignment.hpp and taken out of
  // the evidence; then p_left[R][q_heads] is the share of the variance of that rounding that is left in a row.
  std::vector<double> predicted, p_left;
  std::uint32_t page_tokens;  // tokens of a page; 64 for contiguous caches: the tile of public kernels

  bool aligned() const { return !predicted.empty(); }
  std::uint32_t group() const { return problem.q_heads / problem.kv_heads; }
  std::size_t sequences() const { return sight.sequences().size(); }
  // One task a (sequence, KV head); results are merged in this order whatever thread ran them.
  std::size_t tasks() const { return sequences() * problem.kv_heads; }
};

// The rows of one task: line l = draft * group + (query head within the group).
struct Group {
  const Sequence* sequence = nullptr;
  std::size_t sequence_index = 0;
  std::uint32_t kv_head = 0;
  std::uint32_t group = 1;
  Matrix q;                          // [lines][head_dim]
  Matrix o, e, w;                    // [lines][head_dim_v]: golden, error, weight
  Vector lse;                        // natural log with the sink; +inf for lines that are not judged
  std::vector<std::uint64_t> place;  // index of the line in [R][q_heads]

  Eigen::Index lines() const { return o.rows(); }
  std::uint32_t draft(Eigen::Index line) const { return static_cast<std::uint32_t>(line) / group; }
  std::uint32_t head(Eigen::Index line) const { return kv_head * group + static_cast<std::uint32_t>(line) % group; }
};

Group make_group(const Context& context, std::size_t task);

// Tokens [first, first + keys.rows()) as numbers without scales. A token whose K or V is not finite, or that cannot be
// read (one past the end of the pool), is zero and `dead`: in a judged row it can only have weight 0.
struct Block {
  std::int64_t first = 0;
  Matrix keys, values;
  std::vector<std::uint8_t> dead;
  std::int64_t count() const { return keys.rows(); }
};

Block read_block(const Context& context, const Group& group, std::int64_t first, std::int64_t count);

// Softmax weights exp(score - lse) of all tokens of a block, visible or not, [lines][tokens]; and the scores.
struct Weights {
  Matrix scores, p;
};
Weights weigh(const Context& context, const Group& group, const Block& block);

// First token that matters to any row: one before its window, aligned down to a page.
std::int64_t first_token(const Context& context, const Sequence& sequence);

}  // namespace xqacheck::reference::filters
