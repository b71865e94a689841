// The data kinds: what q, K and V hold, one switch for each tensor. Formulas as in doc/data.md.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/data_source.hpp"
#include "reference/file_tensors.hpp"
#include "reference/formats.hpp"
#include "reference/random_row.hpp"
#include "reference/shape.hpp"

namespace xqacheck::reference {
namespace {

constexpr float kPeaky = 10, kPeaky5 = 5;    // score deviations
constexpr float kOutlier = 20;               // size of outlier channels of K and V against the others
constexpr std::uint32_t kMassiveTokens = 4;  // models put their attention sinks into the first few tokens
constexpr float kMassiveK = 20;              // two channels of such a key
constexpr float kMassiveScore = 10;          // its score: e^10 outweighs some ten thousand ordinary tokens
constexpr float kHeavyClip = 30;             // keeps e4m3 with scale 1/4 inside its range
constexpr std::uint32_t kTieVectors = 5;
constexpr float kOnehotScore = 40;       // e^40 outweighs any number of ordinary tokens in fp32
constexpr std::uint32_t kGrowTile = 16;  // no kernel's tile is smaller
constexpr float kGrowStep = 1;           // rise of the score from tile to tile, against a noise of 1/4
constexpr float kGrowMost = 64;          // score of the last tile: no more than fp16 weights can follow
constexpr float kHuge = 10000;           // 4.33 times this is still an fp16 number
constexpr float kTiny = 1.0f / 1024;
constexpr std::uint32_t kSharedToken = 0xFFFFFFFFu;  // position of numbers that all tokens share: no token has it

// -2 … 2 (or -4 … 4), three quarters of them zero.
float sparse_int(std::uint32_t r, std::uint32_t most) {
  return r & 3 ? 0.0f : static_cast<float>(static_cast<int>((r >> 2) % (2 * most + 1)) - static_cast<int>(most));
}

float cache_unit(const Case& c, float scale) {
  return is_16bit(c.kv) ? 1.0f : scale;
}

// Score of the tile that holds `token`: rises in equal steps, at most to kGrowMost or what the cache can hold.
float grow_score(const Case& c, const RowPlace& at, float sqrt_dim) {
  const std::uint32_t tiles = std::max<std::uint32_t>((c.lens[at.request] + kGrowTile - 1) / kGrowTile, 1);
  // 0.9 leaves room for the noise of the key.
  const float most = std::min(kGrowMost, 0.9f * static_cast<float>(largest(c.kv)) * c.k_scale * sqrt_dim);
  const float step = std::min(kGrowStep, most / static_cast<float>(tiles));
  return static_cast<float>(at.token / kGrowTile) * step;
}

// The dominating token: one that every row of the request sees, or none (kSharedToken).
std::uint32_t onehot_token(const Case& c, const RowPlace& at) {
  const std::uint32_t len = c.lens[at.request], rows = std::min(c.draft.empty() ? 1u : c.rows(at.request), len);
  if (len == 0) return kSharedToken;
  const std::uint32_t end = c.draft.empty() ? len : len - rows;  // context tokens only: drafts are masked
  const std::uint32_t start = c.window == 0 || c.window >= len ? 0 : len - c.window;  // of the last row, the tightest
  if (start >= end) return kSharedToken;
  return start + static_cast<std::uint32_t>(draw_below(c.seed, Stream::choice, at.request, end - start));
}

struct Channels {
  std::uint32_t a, b, c, v;
};

// Special channels of a KV head: three of K (the first two differ), one of V.
Channels special_channels(const Case& c, std::uint32_t head) {
  const Random4 r = draw4(c.seed, Stream::choice, head, 1, 1, 1);
  const std::uint32_t a = r[0] % c.dim;
  return {a, (a + 1 + r[1] % (c.dim - 1)) % c.dim, r[2] % c.dim, r[3] % c.dim_v};
}

// Times a random power of two, 2^-8 … 2^most.
void widen(const Case& c, Stream stream, const RowPlace& at, std::uint32_t count, int most, float* out) {
  for_each_random16(c.seed, stream, at, count, [&](std::uint32_t d, std::uint32_t r) {
    const auto steps = r % static_cast<std::uint32_t>(most + 9);
    out[d] *= static_cast<float>(1u << steps) / 256.0f;
  });
}

float subnormal(const Case& c, std::uint32_t r) {
  const float sign = r & 1 ? -1.0f : 1.0f;
  const std::uint32_t n = r >> 1;
  switch (c.kv) {
    case Dtype::fp16:
      return sign * static_cast<float>(n % 1023 + 1) * 0x1p-24f;
    case Dtype::bf16:
      return sign * static_cast<float>(n % 127 + 1) * 0x1p-133f;
    case Dtype::e4m3:
      return sign * static_cast<float>(n % 7 + 1) * 0x1p-9f * c.v_scale;
    case Dtype::int8:
      break;
  }
  return sign * static_cast<float>(n % 2 + 1) * c.v_scale;
}

}  // namespace

void DataSource::kind_q_row(const RowPlace& at, float* out) const {
  const Case& c = case_;
  const std::uint32_t count = c.dim, kv_head = at.head / c.group();
  const auto each = [&](auto value) {
    for_each_random16(c.seed, Stream::q, at, count, [&](std::uint32_t d, std::uint32_t r) { out[d] = value(r); });
  };
  const auto scaled_normal = [&](float factor) { each([&](std::uint32_t r) { return normals_[r] * factor; }); };
  switch (c.data) {
    case DataKind::uniform:
      return each([](std::uint32_t r) { return (2.0f * static_cast<float>(r) + 1) / 65536.0f - 1; });
    case DataKind::peaky:
      return scaled_normal(kPeaky);
    case DataKind::peaky5:
      return scaled_normal(kPeaky5);
    case DataKind::tiny:
      return scaled_normal(kTiny);
    case DataKind::huge:
      return scaled_normal(kHuge);
    case DataKind::ints:
      return each([](std::uint32_t r) { return sparse_int(r, 2); });
    case DataKind::qzero:
    case DataKind::pow2:
    case DataKind::coded:
      return std::fill(out, out + count, 0.0f), void();
    case DataKind::massive: {
      scaled_normal(1);
      const Channels special = special_channels(c, kv_head);
      out[special.a] = kMassiveScore * sqrt_dim_ / (2 * kMassiveK);
      out[special.b] = -out[special.a];
      return;
    }
    case DataKind::onehot:
    case DataKind::grow:
      scaled_normal(0.25f);
      return for_each_sign(c.seed, kv_head, count, [&](std::uint32_t d, float sign) { out[d] += sign; });
    case DataKind::neginf:
      scaled_normal(1);
      out[0] = (out[0] < 0 ? -out[0] : out[0]) + 0.5f;
      return;
    case DataKind::wide:
      scaled_normal(1);
      return widen(c, Stream::exponent_q, at, count, 1, out);
    default:
      return scaled_normal(1);
  }
}

void DataSource::kind_k_row(const RowPlace& at, float* out) const {
  const Case& c = case_;
  const std::uint32_t count = c.dim;
  const auto each = [&](Stream stream, const RowPlace& place, auto value) {
    for_each_random16(c.seed, stream, place, count, [&](std::uint32_t d, std::uint32_t r) { out[d] = value(r); });
  };
  const auto scaled_normal = [&](float factor) {
    each(Stream::k, at, [&](std::uint32_t r) { return normals_[r] * factor; });
  };
  switch (c.data) {
    case DataKind::uniform:
      return each(Stream::k, at, [](std::uint32_t r) { return (2.0f * static_cast<float>(r) + 1) / 65536.0f - 1; });
    case DataKind::outlier: {
      scaled_normal(1);
      const Channels special = special_channels(c, at.head);
      out[special.a] *= kOutlier;
      out[special.b] *= kOutlier;
      if (special.c != special.a && special.c != special.b) out[special.c] *= kOutlier;
      return;
    }
    case DataKind::massive: {
      if (at.token >= kMassiveTokens) return scaled_normal(1);
      scaled_normal(0.125f);
      const Channels special = special_channels(c, at.head);
      out[special.a] = kMassiveK;
      out[special.b] = -kMassiveK;
      return;
    }
    case DataKind::heavy:
      return each(Stream::k, at, [&](std::uint32_t r) {
        return std::clamp(normals_[r] * normals_[r] * normals_[r], -kHeavyClip, kHeavyClip);
      });
    case DataKind::ties: {
      const Random4 r = draw4(c.seed, Stream::choice, at.token, at.head | at.beam << 16, at.request, 2);
      return each(Stream::ties, {0, 0, r[0] % kTieVectors, at.head}, [&](std::uint32_t n) { return normals_[n]; });
    }
    case DataKind::constant:
      return each(Stream::k, {0, 0, kSharedToken, at.head}, [&](std::uint32_t r) { return normals_[r]; });
    case DataKind::onehot:
      if (at.token != onehot_token(c, at)) return scaled_normal(1);
      return for_each_sign(c.seed, at.head, count,
                           [&](std::uint32_t d, float sign) { out[d] = sign * (kOnehotScore / sqrt_dim_); });
    case DataKind::grow: {
      scaled_normal(0.25f);
      const float along = grow_score(c, at, sqrt_dim_) / sqrt_dim_;
      return for_each_sign(c.seed, at.head, count, [&](std::uint32_t d, float sign) { out[d] += sign * along; });
    }
    case DataKind::ints:
      return each(Stream::k, at,
                  [unit = cache_unit(c, c.k_scale)](std::uint32_t r) { return sparse_int(r, 2) * unit; });
    case DataKind::kzero:
    case DataKind::pow2:
      return std::fill(out, out + count, 0.0f), void();
    case DataKind::neginf:
      scaled_normal(1);
      out[0] = -std::numeric_limits<float>::infinity();
      return;
    case DataKind::wide:
      scaled_normal(1);
      return widen(c, Stream::exponent_k, at, count, 1, out);
    default:
      return scaled_normal(1);
  }
}

void DataSource::kind_v_row(const RowPlace& at, float* out) const {
  const Case& c = case_;
  const std::uint32_t count = c.dim_v;
  const auto each = [&](auto value) {
    for_each_random16(c.seed, Stream::v, at, count, [&](std::uint32_t d, std::uint32_t r) { out[d] = value(r); });
  };
  const auto scaled_normal = [&](float factor) { each([&](std::uint32_t r) { return normals_[r] * factor; }); };
  switch (c.data) {
    case DataKind::uniform:
      return each([](std::uint32_t r) { return (2.0f * static_cast<float>(r) + 1) / 65536.0f - 1; });
    case DataKind::outlier:
      scaled_normal(1);
      out[special_channels(c, at.head).v] *= kOutlier;
      return;
    case DataKind::massive:
      return scaled_normal(at.token < kMassiveTokens ? 1.0f / 16 : 1.0f);
    case DataKind::heavy:
      return each([&](std::uint32_t r) {
        return std::clamp(normals_[r] * normals_[r] * normals_[r], -kHeavyClip, kHeavyClip);
      });
    case DataKind::constant:
      return std::fill(out, out + count, 1.0f), void();
    case DataKind::ints:
      return each([unit = cache_unit(c, c.v_scale)](std::uint32_t r) { return sparse_int(r, 4) * unit; });
    case DataKind::pow2:
      return each([](std::uint32_t r) { return (r & 1 ? -0.125f : 0.125f) * static_cast<float>(1u << (r >> 1) % 7); });
    case DataKind::coded: {
      // 37 is odd and coprime to every dim: full turns of the code shift against each other.
      const std::uint64_t code =
          at.token + std::uint64_t{at.token / count} * 37 + at.head * 11 + at.request * 5 + at.beam * 3;
      std::fill(out, out + count, 0.0f);
      out[code % count] = 1;
      return;
    }
    case DataKind::wide:
      scaled_normal(1);
      return widen(c, Stream::exponent_v, at, count, 3, out);
    case DataKind::denormal:
      return each([&](std::uint32_t r) { return subnormal(c, r); });
    default:
      return scaled_normal(1);
  }
}

}  // namespace xqacheck::reference
