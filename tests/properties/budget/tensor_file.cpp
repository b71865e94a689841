#include "tests/properties/budget/tensor_file.hpp"

#include <array>
#include <bit>

#include "properties/budget/signs.hpp"
#include "reference/formats.hpp"
#include "reference/safetensors.hpp"

namespace xqacheck::tests {
namespace {

constexpr std::uint32_t kQHeads = 8, kKvHeads = 4, kDim = 64;
constexpr std::array<std::uint32_t, 4> kLengths = {64, 48, 48, 32};

// Sum of twelve uniform numbers: normal for all that matters here, and exact on every machine.
float normal(std::uint64_t row, std::uint64_t place) {
  std::int64_t sum = 0;
  for (std::uint64_t k = 0; k < 3; ++k) {
    const std::uint64_t word = properties::budget::sign_word(row, place * 3 + k);
    for (int shift = 0; shift < 64; shift += 16) sum += static_cast<std::int64_t>(word >> shift & 0xffff);
  }
  return static_cast<float>(sum - 6 * 65535) / 65536.0f;
}

// Size of a channel: log-uniform from 1/4 to 2.4 in steps of sqrt(2), as layers show it; `outlier` channels are large.
float channel_size(std::uint64_t tensor, std::uint32_t head, std::uint32_t channel) {
  constexpr float kSizes[] = {0.25f, 0.35f, 0.5f, 0.71f, 1.0f, 1.41f, 2.0f, 2.4f};
  return kSizes[properties::budget::sign_word(1000 + tensor, head * kDim + channel) % 8];
}

// Two channels of every head of K, a rotary pair, that stand out in every token (KIVI, Liu et al. 2024, figure 2), and one of V.
constexpr std::uint32_t kOutliers[] = {13, 45};
constexpr float kOutlierSize = 12, kOutlierMean = 10;
// The first token takes most of the attention and has almost no V (Sun et al. 2024, Massive activations).
constexpr float kSinkKey = 3, kSinkValue = 0.05f;

float key(std::uint32_t token, std::uint32_t head, std::uint32_t channel, std::uint64_t place) {
  const bool outlier = channel == kOutliers[0] || channel == kOutliers[1];
  float x = normal(1, place) * channel_size(1, head, channel);
  if (outlier) x = kOutlierMean + normal(1, place) * kOutlierSize / 6;
  return token == 0 && outlier ? x * kSinkKey : x;
}

float value(std::uint32_t token, std::uint32_t head, std::uint32_t channel, std::uint64_t place) {
  return normal(2, place) * channel_size(2, head, channel) * (token == 0 ? kSinkValue : 1.0f);
}

// Queries look along the outlier channels a little, so that the sink collects weight.
float query(std::uint32_t head, std::uint32_t channel, std::uint64_t place) {
  const bool outlier = channel == kOutliers[0] || channel == kOutliers[1];
  return normal(3, place) * channel_size(3, head / (kQHeads / kKvHeads), channel) + (outlier ? 0.9f : 0.0f);
}

}  // namespace

std::vector<std::byte> decoder_layer_file() {
  std::vector<std::uint16_t> q, k, v;
  const auto put = [](std::vector<std::uint16_t>& to, float x) { to.push_back(reference::encode(reference::Dtype::bf16, x)); };
  std::uint64_t place = 0;
  for (std::uint32_t request = 0; request < kLengths.size(); ++request)
    for (std::uint32_t head = 0; head < kQHeads; ++head)
      for (std::uint32_t d = 0; d < kDim; ++d) put(q, query(head, d, place++));
  std::uint64_t tokens = 0;
  for (const std::uint32_t length : kLengths) {
    tokens += length;
    for (std::uint32_t token = 0; token < length; ++token)
      for (std::uint32_t head = 0; head < kKvHeads; ++head)
        for (std::uint32_t d = 0; d < kDim; ++d, ++place)
          put(k, key(token, head, d, place)), put(v, value(token, head, d, place));
  }
  const auto tensor = [](const char* name, std::vector<std::uint64_t> shape, const std::vector<std::uint16_t>& data) {
    return reference::TensorToWrite{name, reference::FileDtype::bf16, std::move(shape), data.data(), data.size() * 2};
  };
  return reference::safetensors_bytes(
      {tensor("q", {kLengths.size(), kQHeads, kDim}, q), tensor("k", {tokens, kKvHeads, kDim}, k),
       tensor("v", {tokens, kKvHeads, kDim}, v)},
      {{"made_by", "tests/properties/budget/tensor_file.cpp"}, {"note", "synthetic, with the statistics of a decoder layer"}});
}

}  // namespace xqacheck::tests
