// One unit of the golden model: the query rows of one (request, beam) that share a KV head. Two passes over its tokens,
// in chunks that may run on any thread: scores first (they give the row maxima), then the weighted sums of V.
//
// Weights are e = exp(score - row maximum), so the largest is 1; the caller divides by their sum. Everything that a
// chunk finds is kept apart and merged in chunk order, so the result does not depend on the number of threads. Memory:
// one number a row and token, and a few sums a chunk; K and V are decoded one tile at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/golden/cache_reader.hpp"
#include "reference/golden/coherence.hpp"
#include "reference/golden/contract.hpp"
#include "reference/golden/rounding_model.hpp"
#include "reference/golden/sequence.hpp"
#include "reference/golden/weigh.hpp"

namespace xqacheck::reference {

// Sums over the tokens of a chunk for one row, in units of the weights.
struct RowSums {
  double e = 0;        // sum e
  double e2 = 0;       // sum e^2
  double rest = 0;     // sum of (largest possible error of a weight - base * e)
  double spread = 0;   // sum of the variance of each weight's error
  double tiles2 = 0;   // sum over 64-token tiles of (sum e)^2
  double skipped = 0;  // sum e over tiles that skip-softmax may skip
  double v_gap = 0;    // sum e * slack of appended V rows
  double slope = 0;    // sum e * (score - row maximum)
  void add(const RowSums& o);
};

// Planes of per-element sums, each [rows][dim_v]:
// kOut sum e v, kAbs sum e |v|, kRest sum (weight error - base e) |v|, kSpread sum (weight variance) v^2, kReach
// largest |sum e v| over the tokens of the chunk so far, at tile granularity, kSlope sum e (score - row maximum) v.
enum Plane : int { kOut, kAbs, kRest, kSpread, kReach, kSlope, kPlanes };

// NaN or Inf in V: the element and where it is.
struct Blemish {
  std::int64_t token;
  std::uint32_t channel;
  double value;
};

struct Chunk {
  std::int64_t begin = 0, end = 0;
  std::vector<double> row_max, row_size;  // pass 1, per row: largest score, largest finite |score|
  std::vector<std::uint8_t> row_nan;      // pass 1: a visible score is NaN or +inf
  double largest_k = 0;                   // pass 1: largest norm of a used K row
  std::vector<RowSums> sums;              // pass 2
  std::vector<Coherence> coherence;       // pass 2, per row
  std::vector<double> planes[kPlanes];    // pass 2, [rows][dim_v]; empty where not asked for
  std::vector<double> signs, largest;     // pass 2, per channel: sum of signs of v, largest |v|
  std::vector<Blemish> blemishes;         // pass 2
};

struct Row {
  std::uint32_t draft = 0, head = 0;  // query row of the sequence, query head
  std::int64_t window_start = 0;
  std::int64_t tokens = 0;  // visible
  double q_norm = 0, q_slack = 0;
  // After pass 1:
  WeightModel weights;
  bool nan = false, any = false;  // a NaN or +inf score; a finite score
};

// What is computed besides the output.
struct UnitOptions {
  bool error_model = true, slope = false;
};

class Unit {
 public:
  Unit(const xqacheck_problem& problem, const Sight& sight, const CacheReader& cache, const Queries& queries,
       const RoundingModel& model, const Sequence& sequence, std::uint32_t kv_head, UnitOptions options);

  std::size_t chunks() const { return chunks_.size(); }
  void score(std::size_t chunk);  // pass 1
  void settle();                  // between the passes: row maxima
  void weigh(std::size_t chunk);  // pass 2

  const Sequence& sequence() const { return sequence_; }
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<Chunk>& results() const { return chunks_; }
  const UnitOptions& options() const { return options_; }
  bool sees(const Row& row, std::int64_t token) const;
  bool weight_is_zero(std::size_t row, std::int64_t token) const;  // the score is -inf
  double largest_k() const;                                        // norm over all used K rows
  std::uint32_t copies() const { return copies_; }                 // most tokens with equal K and V
  double scratch_bytes() const;                                    // what the unit holds until it is merged

 private:
  std::size_t at(std::int64_t token) const { return static_cast<std::size_t>(token - begin_); }
  bool wants(int plane) const { return plane == kOut || (plane == kSlope ? options_.slope : options_.error_model); }
  // Equal K and V rows have equal keys; never 0. The quick key looks at K alone, of which `square` is the squared norm.
  std::uint64_t key_of(const TokenRow& k, const TokenRow& v) const;
  std::uint64_t quick_key(const TokenRow& k, double square) const;
  std::uint32_t count_copies() const;
  void load_k(std::int64_t block, std::int64_t end, double* tile, Chunk& chunk);
  void load_v(std::int64_t block, std::int64_t end, double* tile, Chunk& chunk) const;
  void hide_unseen(const Row& row, std::int64_t block, std::int64_t end, double* scores) const;
  bool may_skip(const Row& row, const double* scores, std::size_t count) const;

  struct Weights;
  // Adds tokens [begin, end), `first` tokens into the tile, to the planes.
  void add_strip(std::int64_t first, std::int64_t begin, std::int64_t end, bool any_rest, Weights& w,
                 Chunk& chunk) const;
  // Fills row r of `w` for the tile and returns whether any `rest` is not 0.
  bool weigh_row(std::size_t r, std::int64_t block, std::int64_t end, Weights& w, Chunk& chunk) const;

  const xqacheck_problem& problem_;
  const CacheReader& cache_;
  const RoundingModel& model_;
  const Sequence& sequence_;
  std::uint32_t kv_head_;
  UnitOptions options_;
  double scale_;            // score per unit of q.k
  std::int64_t begin_ = 0;  // first token looked at, a multiple of the tile
  std::size_t tokens_ = 0;  // from begin_ on, rounded up to 8
  std::vector<Row> rows_;
  std::vector<std::uint8_t> drafts_;  // [n][n]: draft row i may attend draft j
  PackedQueries queries_;
  std::vector<double> scores_;                  // [rows][tokens]; -inf where not visible
  std::vector<double> k_norm_, k_gap_, v_gap_;  // [tokens]; the gaps only where tokens are appended
  std::vector<std::uint64_t> keys_;             // [tokens]: quick_key, 0 where not used
  std::uint32_t copies_ = 0;
  std::vector<std::uint8_t> used_;  // [tokens]: some row sees it
  std::vector<Chunk> chunks_;
};

}  // namespace xqacheck::reference
