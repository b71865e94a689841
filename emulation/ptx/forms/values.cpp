// Operand values: one half of the items pairs edge values with each other, the other half is random, in modes that make
// every rounding and special case of the formats likely.
#include <Random123/philox.h>

#include <array>
#include <span>

#include "emulation/ptx/forms/form.hpp"

namespace xqacheck::ptx::forms {
namespace {

using Random4 = std::array<std::uint32_t, 4>;

Random4 draw(std::uint64_t seed, std::uint32_t name, std::uint32_t operand, std::uint32_t item) {
  const r123::Philox4x32 philox;
  const r123::Philox4x32::ctr_type counter = {{item, operand, name, 0x50545846u}};  // "PTXF": apart from other streams
  const r123::Philox4x32::key_type key = {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  const auto drawn = philox(counter, key);
  return {drawn[0], drawn[1], drawn[2], drawn[3]};
}

constexpr std::uint32_t kF32Edges[] = {0x00000000,
                                       0x80000000,
                                       0x3F800000,
                                       0xBF800000,
                                       0x7F800000,
                                       0xFF800000,
                                       0x7FFFFFFF,
                                       0x7F800001,
                                       0xFFC01234,
                                       0x00000001,
                                       0x807FFFFF,
                                       0x00800000,
                                       0x80800001,
                                       0x7F7FFFFF,
                                       0xFF7FFFFF,
                                       0x3F000000,
                                       0x43E80000 /* 464 */,
                                       0x43E7FFFF,
                                       0x3A800000 /* 2^-10 */,
                                       0xBA800001,
                                       0x477FF000 /* 65520 */,
                                       0x477FEFFF,
                                       0x33000000 /* 2^-25 */,
                                       0x4B800001,
                                       0xCF000000 /* -2^31 */,
                                       0x4F000000,
                                       0xC2FC0000 /* -126 */,
                                       0x43000000,
                                       0xC3150000,
                                       0x7F7F8000,
                                       0x3F808000 /* tie of bf16 */,
                                       0x3F818000};
constexpr std::uint16_t kF16Edges[] = {0x0000, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7FFF, 0x7C01,
                                       0xFE12, 0x0001, 0x83FF, 0x0400, 0x8401, 0x7BFF, 0xFBFF, 0x3800};
constexpr std::uint16_t kBf16Edges[] = {0x0000, 0x8000, 0x3F80, 0xBF80, 0x7F80, 0xFF80, 0x7FFF, 0x7F81,
                                        0xFFC1, 0x0001, 0x807F, 0x0080, 0x8081, 0x7F7F, 0xFF7F, 0x3F00};
constexpr std::uint64_t kBitEdges[] = {0,
                                       1,
                                       ~0ull,
                                       0x8000000080008080ull,
                                       0x7FFFFFFF7FFF7F7Full,
                                       0x80000000ull,
                                       0x7FFFFFFFull,
                                       0xFFFFFFFFull,
                                       0x100000000ull,
                                       0xFFFF8000ull,
                                       0x00008000ull,
                                       0x12345678u,
                                       31,
                                       32,
                                       0x8000000000000000ull,
                                       0xFFFFFFFFFFFFFFFEull};

std::uint32_t random_f32(const Random4& r) {
  const std::uint32_t sign = r[1] & 0x80000000u, fraction = r[0] & 0x7FFFFFu;
  auto with = [&](std::uint32_t low, std::uint32_t span, std::uint32_t bits) {
    return sign | (low + r[2] % span) << 23 | bits;
  };
  switch (r[3] % 7) {
    case 0:
      return r[0];
    case 1:
      return with(117, 20, fraction);  // near 1
    case 2:
      return with(126, 3, fraction);  // close exponents: cancellation
    case 3:
      return with(100, 50, (fraction & 0x7F0000u) | 0x8000u);  // halfway between two bf16
    case 4:
      return with(113, 30, (fraction & 0x7FE000u) | 0x1000u);  // halfway between two f16
    case 5:
      return with(116, 20, r[1] & 1 ? (fraction & 0x700000u) | 0x80000u : fraction);  // the range and ties of e4m3
    default:
      return with(0, 4, fraction);  // denormals and the smallest normals
  }
}

std::uint16_t random_half(std::uint32_t r, std::uint32_t mantissa_bits, std::uint32_t middle) {
  if ((r >> 16) % 3 == 0) return static_cast<std::uint16_t>(r);
  const std::uint32_t exponent = middle - 3 + (r >> 18) % 7;  // around 1
  return static_cast<std::uint16_t>((r & 0x8000u) | exponent << mantissa_bits | (r & ((1u << mantissa_bits) - 1)));
}

std::uint64_t edge(Values values, std::uint32_t which) {
  switch (values) {
    case Values::f32:
      return kF32Edges[which % std::size(kF32Edges)];
    case Values::f16x2:
      return kF16Edges[which % 16] | std::uint32_t{kF16Edges[(which * 7 + 3) % 16]} << 16;
    case Values::bf16x2:
      return kBf16Edges[which % 16] | std::uint32_t{kBf16Edges[(which * 7 + 3) % 16]} << 16;
    case Values::bits:
      return kBitEdges[which % std::size(kBitEdges)];
    case Values::nonzero:
      return kBitEdges[1 + which % 7] & 0xFFFFFFFFu;
    default:
      return which;
  }
}

std::uint64_t random_value(Values values, const Random4& r, std::uint32_t item) {
  switch (values) {
    case Values::bits:
      return r[0] | std::uint64_t{r[1]} << 32;
    case Values::small:
      return r[0] % 71;
    case Values::nonzero:
      return std::max(1u, r[0] >> r[1] % 32);
    case Values::flag:
      return r[0] & 1;
    case Values::sparse:
      return r[0] % 40 < 32 ? 1u << r[0] % 40 : 0;
    case Values::f32:
      return random_f32(r);
    case Values::f16x2:
      return random_half(r[0], 10, 15) | std::uint32_t{random_half(r[1], 10, 15)} << 16;
    case Values::bf16x2:
      return random_half(r[0], 7, 127) | std::uint32_t{random_half(r[1], 7, 127)} << 16;
    case Values::e4m3x2:
      return r[0];
    case Values::lane:
      return r[0] % 32;
    case Values::lane_id:
      return item % 32;
  }
  return 0;
}

bool has_edges(Values values) {
  return values == Values::bits || values == Values::f32 || values == Values::f16x2 || values == Values::bf16x2 ||
         values == Values::nonzero;
}

std::uint32_t hash_of(const std::string& name) {  // FNV-1a
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

}  // namespace

std::vector<std::uint64_t> make_inputs(const Form& form, std::uint64_t seed) {
  std::vector<std::uint64_t> inputs(form.in.size() * kItems);
  const std::uint32_t name = hash_of(form.name);
  for (std::uint32_t k = 0; k < form.in.size(); ++k) {
    const Operand& operand = form.in[k];
    const std::uint32_t bytes = operand.width == Width::pred ? 4 : bytes_of(operand.width);
    const std::uint64_t mask = bytes == 8 ? ~0ull : (1ull << bytes * 8) - 1;
    for (std::uint32_t i = 0; i < kItems; ++i) {
      const Random4 r = draw(seed, name, k, i);
      // The first half pairs each edge value of the first operand with its neighbours in the list, nearest first, among
      // them its negative. Matrices take few edges: a NaN in every row would leave nothing to compare.
      const bool matrix = form.in.size() > 4;
      const bool take_edge = has_edges(operand.values) && (matrix ? r[3] % 97 == 0 : i < kItems / 2);
      const std::uint32_t round = i / 32, distance = round % 2 ? (round + 1) / 2 : 32 - round / 2;
      const std::uint32_t which = matrix || k > 1 ? r[2] : i + (k == 1 ? distance : 0);
      inputs[k * kItems + i] = (take_edge ? edge(operand.values, which) : random_value(operand.values, r, i)) & mask;
    }
  }
  return inputs;
}

}  // namespace xqacheck::ptx::forms
