// One unit of the golden model: the query rows of one (request, beam) that share a KV head. Two passes over its tokens,
// in chunks that may run on any thread: scores first (they give the row maxima), then the weighted sums of V.
//
// Weights are e = exp(score - row maximum), so the largest is 1; the caller divides by their sum. Everything that a
// chunk finds is kept apart and merged in chunk order, so the result does not depend on the number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/golden/cache_reader.hpp"
#include "reference/golden/rounding_model.hpp"
#include "reference/golden/sequence.hpp"

namespace xqacheck::reference {

// Sums over the tokens of a chunk for one row, in units of the weights.
struct RowSums {
  double e = 0;             // sum e
  double e2 = 0;            // sum e^2
  double wrong = 0;         // sum of the largest possible error of each weight
  double spread = 0;        // sum of the variance of each weight's error
  double tiles2 = 0;        // sum over 64-token tiles of (sum e)^2
  double skipped = 0;       // sum e over tiles that skip-softmax may skip
  double v_gap = 0;         // sum e * slack of appended V rows
  std::int64_t tokens = 0;  // visible tokens
  void add(const RowSums& o);
};

// Planes of per-element sums, each [rows][dim_v].
enum Plane : int { kOut, kAbs, kWrong, kSpread, kReach, kPlanes };
// kOut sum e v, kAbs sum e |v|, kWrong sum (weight error) |v|, kSpread sum (weight variance) v^2, kReach largest |sum e
// v| over the tokens of the chunk so far, at tile granularity.

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
  std::vector<RowSums> sums;              // pass 2
  std::vector<double> planes[kPlanes];    // pass 2, [rows][dim_v]; only kOut without the error model
  std::vector<double> signs, largest;     // pass 2, per channel: sum of signs of v, largest |v|
  std::vector<Blemish> blemishes;         // pass 2
  bool overflow = false;                  // pass 1: a product sum may leave the range of fp32
};

struct Row {
  std::uint32_t draft = 0, head = 0;  // query row of the sequence, query head
  std::int64_t window_start = 0;
  double q_norm = 0, q_slack = 0;
  // After pass 1:
  double max = 0, size = 0;
  bool nan = false, any = false;  // a NaN or +inf score; a finite score
};

class Unit {
 public:
  Unit(const xqacheck_problem& problem, const Sight& sight, const CacheReader& cache, const Queries& queries,
       const RoundingModel& model, const Sequence& sequence, std::uint32_t kv_head, bool error_model);

  std::size_t chunks() const { return chunks_.size(); }
  void score(std::size_t chunk);  // pass 1
  void settle();                  // between the passes: row maxima
  void weigh(std::size_t chunk);  // pass 2

  const Sequence& sequence() const { return sequence_; }
  std::uint32_t kv_head() const { return kv_head_; }
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<Chunk>& results() const { return chunks_; }
  bool sees(const Row& row, std::int64_t token) const;
  bool weight_is_zero(std::size_t row, std::int64_t token) const;  // the score is -inf
  double scratch_bytes() const;

 private:
  void load_k(std::int64_t block, double* tile) const;
  void load_v(std::int64_t block, double* tile, Chunk& chunk) const;
  void weights_of(const Row& row, std::int64_t block, std::int64_t end, const double* scores, double* e, double* wrong,
                  double* spread, RowSums& sums) const;

  const xqacheck_problem& problem_;
  const CacheReader& cache_;
  const RoundingModel& model_;
  const Sequence& sequence_;
  std::uint32_t kv_head_;
  bool error_model_;
  double scale_;            // score per unit of q.k
  std::int64_t begin_ = 0;  // first token looked at, a multiple of the tile
  std::vector<Row> rows_;
  std::vector<std::uint8_t> drafts_;            // [n][n]: draft row i may attend draft j
  std::vector<double> q_;                       // [rows][dim]
  std::vector<double> scores_;                  // [rows][tokens]
  std::vector<double> k_norm_, k_gap_, v_gap_;  // [tokens]
  std::vector<std::uint8_t> used_;              // [tokens]: some row sees it
  std::vector<Chunk> chunks_;
};

}  // namespace xqacheck::reference
