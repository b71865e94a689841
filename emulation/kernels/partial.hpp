// What a split leaves for the merge: row maxima, row sums and output tiles, 16 bit in scratch as the kernels store them, or
// as doubles where a rounding is exact.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "emulation/kernels/geometry.hpp"
#include "emulation/kernels/rounding16.hpp"

namespace xqacheck::emulation {

// Values of one row of one split.
template <class Real>
struct PartialRow {
  Real max = 0, sum = 0;
  std::vector<Real> tile;  // [dim]
};

// Scratch in the layout of the kernels.
class ScratchPartials {
 public:
  ScratchPartials(const ScratchLayout& layout, const Call& call, std::byte* scratch)
      : layout_(layout), call_(call), scratch_(scratch) {}

  void store(std::uint32_t block, std::uint32_t split, std::uint32_t row, const PartialRow<float>& value) {
    std::memcpy(scratch_ + layout_.max_at(block, split, row), &value.max, sizeof(float));
    std::memcpy(scratch_ + layout_.sum_at(block, split, row), &value.sum, sizeof(float));
    std::byte* tile = scratch_ + layout_.tile_at(block, split, row);
    for (std::uint32_t d = 0; d < call_.dim; ++d) {
      const std::uint16_t bits = half_bits(call_.half, value.tile[d]);
      std::memcpy(tile + 2 * d, &bits, sizeof bits);
    }
  }

  void load(std::uint32_t block, std::uint32_t split, std::uint32_t row, PartialRow<float>& value) const {
    std::memcpy(&value.max, scratch_ + layout_.max_at(block, split, row), sizeof(float));
    std::memcpy(&value.sum, scratch_ + layout_.sum_at(block, split, row), sizeof(float));
    value.tile.resize(call_.dim);
    const std::byte* tile = scratch_ + layout_.tile_at(block, split, row);
    for (std::uint32_t d = 0; d < call_.dim; ++d) {
      std::uint16_t bits;
      std::memcpy(&bits, tile + 2 * d, sizeof bits);
      value.tile[d] = half_value(call_.half, bits);
    }
  }

 private:
  const ScratchLayout& layout_;
  const Call& call_;
  std::byte* scratch_;
};

// The same in memory of its own, unrounded.
class ExactPartials {
 public:
  ExactPartials(const ScratchLayout& layout, const Call&, std::byte*)
      : layout_(layout), rows_(std::uint64_t{layout.blocks} * layout.splits * layout.rows) {}

  void store(std::uint32_t block, std::uint32_t split, std::uint32_t row, const PartialRow<double>& value) {
    rows_[index(block, split, row)] = value;
  }
  void load(std::uint32_t block, std::uint32_t split, std::uint32_t row, PartialRow<double>& value) const {
    value = rows_[index(block, split, row)];
  }

 private:
  std::uint64_t index(std::uint32_t block, std::uint32_t split, std::uint32_t row) const {
    return (std::uint64_t{block} * layout_.splits + split) * layout_.rows + row;
  }
  const ScratchLayout& layout_;
  std::vector<PartialRow<double>> rows_;
};

}  // namespace xqacheck::emulation
