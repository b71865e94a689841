#include "reference/golden/contract.hpp"

#include <algorithm>
#include <cstring>

// One build for each of the instruction sets that matter; what lies between brings nothing for fp64.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/golden/contract.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xqacheck::reference {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
// At most eight lanes on every machine this runs on, so that eight rows are whole vectors everywhere.
constexpr std::size_t kLanes = hn::MaxLanes(D());
static_assert(kLanes <= 8, "PackedQueries pads rows to 8");
// Accumulators must fit the registers: 32 vector registers with AVX-512, 16 below.
constexpr std::size_t kTall = HWY_TARGET <= HWY_AVX3 ? 8 : 4;

// Tokens [t, t + kTokens) times rows [r, r + kVectors vectors).
template <std::size_t kTokens, std::size_t kVectors>
HWY_INLINE void score_patch(const PackedQueries& q, std::size_t r, const double* HWY_RESTRICT k, std::size_t t,
                            double* HWY_RESTRICT out) {
  const D d;
  V acc[kTokens][kVectors];
  for (auto& row : acc) {
    for (V& a : row) a = hn::Zero(d);
  }
  const double* HWY_RESTRICT column = q.by_channel.data() + r;
  const double* HWY_RESTRICT token = k + t * q.dim;
  for (std::size_t c = 0; c < q.dim; ++c, column += q.padded) {
    V qv[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) qv[v] = hn::LoadU(d, column + v * kLanes);
    for (std::size_t i = 0; i < kTokens; ++i) {
      const V kv = hn::Set(d, token[i * q.dim + c]);
      for (std::size_t v = 0; v < kVectors; ++v) acc[i][v] = hn::MulAdd(kv, qv[v], acc[i][v]);
    }
  }
  for (std::size_t i = 0; i < kTokens; ++i) {
    for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(acc[i][v], d, out + (t + i) * q.padded + r + v * kLanes);
  }
}

// Few rows: the sum runs along the channels.
HWY_INLINE void score_few(const PackedQueries& q, const double* HWY_RESTRICT k, std::size_t tokens,
                          double* HWY_RESTRICT scores) {
  const D d;
  for (std::size_t r = 0; r < q.rows; ++r) {
    const double* HWY_RESTRICT row = q.by_row.data() + r * q.dim;
    for (std::size_t t = 0; t < tokens; ++t) {
      const double* HWY_RESTRICT token = k + t * q.dim;
      V a = hn::Zero(d), b = hn::Zero(d);
      for (std::size_t c = 0; c < q.dim; c += 2 * kLanes) {
        a = hn::MulAdd(hn::LoadU(d, row + c), hn::LoadU(d, token + c), a);
        b = hn::MulAdd(hn::LoadU(d, row + c + kLanes), hn::LoadU(d, token + c + kLanes), b);
      }
      scores[r * kBlockTokens + t] = hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b)));
    }
  }
}

// `k` holds kStripTokens rows; those past `tokens` may hold anything.
void ScoreTile(const PackedQueries& q, const double* k, std::size_t tokens, double* scratch, double* scores) {
  if (q.rows < 3) {
    score_few(q, k, tokens, scores);
    return;
  }
  for (std::size_t r = 0; r < q.padded;) {
    // Two vectors of rows where there are as many; AVX-512 holds eight rows in one vector.
    const bool two = r + 2 * kLanes <= q.padded;
    for (std::size_t t = 0; t < tokens; t += 2 * kTall) {
      if (two) {
        score_patch<kTall, 2>(q, r, k, t, scratch);
        score_patch<kTall, 2>(q, r, k, t + kTall, scratch);
      } else {
        score_patch<2 * kTall, 1>(q, r, k, t, scratch);
      }
    }
    r += two ? 2 * kLanes : kLanes;
  }
  for (std::size_t r = 0; r < q.rows; ++r) {
    for (std::size_t t = 0; t < tokens; ++t) scores[r * kBlockTokens + t] = scratch[t * q.padded + r];
  }
}

// Rows [r, r + kRows) times channels [c, c + 2 vectors).
template <std::size_t kRows, bool kAbsolute>
HWY_INLINE void add_patch(const double* HWY_RESTRICT w, const double* HWY_RESTRICT v, std::size_t tokens,
                          std::size_t dim, double* HWY_RESTRICT sums) {
  const D d;
  V acc[kRows][2];
  for (std::size_t i = 0; i < kRows; ++i) {
    acc[i][0] = hn::LoadU(d, sums + i * dim);
    acc[i][1] = hn::LoadU(d, sums + i * dim + kLanes);
  }
  for (std::size_t t = 0; t < tokens; ++t, v += dim) {
    V v0 = hn::LoadU(d, v), v1 = hn::LoadU(d, v + kLanes);
    if (kAbsolute) {
      v0 = hn::Abs(v0);
      v1 = hn::Abs(v1);
    }
    for (std::size_t i = 0; i < kRows; ++i) {
      const V weight = hn::Set(d, w[i * kBlockTokens + t]);
      acc[i][0] = hn::MulAdd(weight, v0, acc[i][0]);
      acc[i][1] = hn::MulAdd(weight, v1, acc[i][1]);
    }
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    hn::StoreU(acc[i][0], d, sums + i * dim);
    hn::StoreU(acc[i][1], d, sums + i * dim + kLanes);
  }
}

// All three moments of V in one pass over the tile: one vector of channels with AVX-512 (24 accumulators), else as many
// rows as fit 16 registers.
template <std::size_t kRows>
HWY_INLINE void moments_patch(const double* HWY_RESTRICT w, const double* HWY_RESTRICT w2, const double* HWY_RESTRICT v,
                              std::size_t tokens, std::size_t dim, double* HWY_RESTRICT out,
                              double* HWY_RESTRICT absolute, double* HWY_RESTRICT square) {
  const D d;
  V first[kRows], size[kRows], second[kRows];
  for (std::size_t i = 0; i < kRows; ++i) {
    first[i] = hn::LoadU(d, out + i * dim);
    size[i] = hn::LoadU(d, absolute + i * dim);
    second[i] = hn::LoadU(d, square + i * dim);
  }
  for (std::size_t t = 0; t < tokens; ++t, v += dim) {
    const V x = hn::LoadU(d, v);
    const V a = hn::Abs(x), x2 = hn::Mul(x, x);
    for (std::size_t i = 0; i < kRows; ++i) {
      const V weight = hn::Set(d, w[i * kBlockTokens + t]);
      first[i] = hn::MulAdd(weight, x, first[i]);
      size[i] = hn::MulAdd(weight, a, size[i]);
      second[i] = hn::MulAdd(hn::Set(d, w2[i * kBlockTokens + t]), x2, second[i]);
    }
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    hn::StoreU(first[i], d, out + i * dim);
    hn::StoreU(size[i], d, absolute + i * dim);
    hn::StoreU(second[i], d, square + i * dim);
  }
}

template <bool kAbsolute>
HWY_INLINE void add_rows(const double* w, std::size_t rows, const double* v, std::size_t tokens, std::size_t dim,
                         double* sums) {
  std::size_t r = 0;
  for (; r + kTall <= rows; r += kTall) {
    for (std::size_t c = 0; c < dim; c += 2 * kLanes) {
      add_patch<kTall, kAbsolute>(w + r * kBlockTokens, v + c, tokens, dim, sums + r * dim + c);
    }
  }
  for (; r < rows; ++r) {
    for (std::size_t c = 0; c < dim; c += 2 * kLanes) {
      add_patch<1, kAbsolute>(w + r * kBlockTokens, v + c, tokens, dim, sums + r * dim + c);
    }
  }
}

void AddTile(const double* w, std::size_t rows, const double* v, std::size_t tokens, std::size_t dim, double* out) {
  add_rows<false>(w, rows, v, tokens, dim, out);
}

void AddAbsolute(const double* w, std::size_t rows, const double* v, std::size_t tokens, std::size_t dim, double* out) {
  add_rows<true>(w, rows, v, tokens, dim, out);
}

void AddMoments(const double* w, const double* w2, std::size_t rows, const double* v, std::size_t tokens,
                std::size_t dim, const Moments& sums) {
  std::size_t r = 0;
  for (; r + kTall <= rows; r += kTall) {
    for (std::size_t c = 0; c < dim; c += kLanes) {
      moments_patch<kTall>(w + r * kBlockTokens, w2 + r * kBlockTokens, v + c, tokens, dim, sums.out + r * dim + c,
                           sums.absolute + r * dim + c, sums.square + r * dim + c);
    }
  }
  for (; r < rows; ++r) {
    for (std::size_t c = 0; c < dim; c += kLanes) {
      moments_patch<1>(w + r * kBlockTokens, w2 + r * kBlockTokens, v + c, tokens, dim, sums.out + r * dim + c,
                       sums.absolute + r * dim + c, sums.square + r * dim + c);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace xqacheck::reference
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xqacheck::reference {

HWY_EXPORT(ScoreTile);
HWY_EXPORT(AddTile);
HWY_EXPORT(AddAbsolute);
HWY_EXPORT(AddMoments);

PackedQueries pack_queries(std::vector<double> by_row, std::size_t rows, std::size_t dim) {
  PackedQueries q;
  q.rows = rows;
  q.dim = dim;
  q.padded = (rows + 7) / 8 * 8;
  q.by_channel.assign(dim * q.padded, 0);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < dim; ++c) q.by_channel[c * q.padded + r] = by_row[r * dim + c];
  }
  q.by_row = std::move(by_row);
  return q;
}

void score_tile(const PackedQueries& q, const double* k, std::size_t tokens, double* scratch, double* scores) {
  HWY_DYNAMIC_DISPATCH(ScoreTile)(q, k, tokens, scratch, scores);
}

void add_tile(const double* w, std::size_t rows, const double* v, std::size_t tokens, std::size_t dim, double* out) {
  HWY_DYNAMIC_DISPATCH(AddTile)(w, rows, v, tokens, dim, out);
}

void add_absolute(const double* w, std::size_t rows, const double* v, std::size_t tokens, std::size_t dim,
                  double* out) {
  HWY_DYNAMIC_DISPATCH(AddAbsolute)(w, rows, v, tokens, dim, out);
}

void add_moments(const double* w, const double* w2, std::size_t rows, const double* v, std::size_t tokens,
                 std::size_t dim, const Moments& sums) {
  HWY_DYNAMIC_DISPATCH(AddMoments)(w, w2, rows, v, tokens, dim, sums);
}

}  // namespace xqacheck::reference
#endif  // HWY_ONCE
