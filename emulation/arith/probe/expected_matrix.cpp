#include <fmt/format.h>

#include <cstring>
#include <mutex>
#include <vector>

#include "emulation/arith/plain/tile.hpp"
#include "emulation/arith/probe/draw.h"
#include "emulation/arith/probe/expected.hpp"
#include "emulation/arith/probe/parallel.hpp"
#include "emulation/arith/tile.hpp"

namespace xqacheck::arith::probe {

namespace {

struct Shape {
  MatrixUnit unit;
  Format format;
  draw::Code code;
  int k;
};

Shape shape_of(Instruction instruction) {
  switch (instruction) {
    case kMmaF16:
      return {MatrixUnit::mma_sync, Format::f16, draw::kF16, 16};
    case kMmaBf16:
      return {MatrixUnit::mma_sync, Format::bf16, draw::kBf16, 16};
    case kMmaF16K8:
      return {MatrixUnit::mma_sync, Format::f16, draw::kF16, 8};
    case kMmaBf16K8:
      return {MatrixUnit::mma_sync, Format::bf16, draw::kBf16, 8};
    case kMmaE4m3:
      return {MatrixUnit::mma_sync, Format::e4m3, draw::kE4m3, 32};
    case kMmaS8:
      return {MatrixUnit::mma_sync, Format::s8, draw::kS8, 32};
    case kWgmmaF16:
      return {MatrixUnit::wgmma, Format::f16, draw::kF16, 16};
    case kWgmmaBf16:
      return {MatrixUnit::wgmma, Format::bf16, draw::kBf16, 16};
    default:
      return {MatrixUnit::wgmma, Format::e4m3, draw::kE4m3, 32};
  }
}

// The drawn operands of one tile, as bytes of their format, k-contiguous.
struct Tile {
  std::vector<uint8_t> a, b;
  std::vector<uint32_t> c;  // [row][column]
  OperandView view_a, view_b;

  Tile(const MatrixRun& run, uint32_t index) {
    const Shape shape = shape_of(run.instruction);
    const draw::Stream stream{run.seed, run.kind, run.first_tile + index};
    const auto rows = static_cast<size_t>(rows_of(run));
    const auto columns = static_cast<size_t>(columns_of(run));
    const auto k = static_cast<size_t>(shape.k * run.k_steps);
    fill(a, shape, stream, draw::kA, rows, k);
    fill(b, shape, stream, draw::kB, columns, k);
    c.assign(rows * columns, 0);
    if (!run.c_is_zero) {
      for (size_t r = 0; r < rows; ++r) {
        for (size_t j = 0; j < columns; ++j) {
          c[r * columns + j] = draw::accumulator(stream, static_cast<uint32_t>(r), static_cast<uint32_t>(j));
        }
      }
    }
    view_a = {shape.format, a.data(), rows, k, k};
    view_b = {shape.format, b.data(), columns, k, k};
  }

 private:
  static void fill(std::vector<uint8_t>& bytes, const Shape& shape, const draw::Stream& stream, uint32_t matrix,
                   size_t vectors, size_t k) {
    const auto width = static_cast<size_t>(bytes_of(shape.format));
    bytes.resize(vectors * k * width);
    for (size_t v = 0; v < vectors; ++v) {
      for (size_t i = 0; i < k; ++i) {
        const uint32_t pattern =
            draw::element(shape.code, stream, matrix, static_cast<uint32_t>(v), static_cast<uint32_t>(i));
        std::memcpy(&bytes[(v * k + i) * width], &pattern, width);  // little-endian hosts, as CUDA's are
      }
    }
  }
};

// The library's fast product; the larger side goes into the lanes.
void multiply_fast(const MatrixInstruction& rule, Tile& tile) {
  const size_t rows = tile.view_a.vectors;
  const size_t columns = tile.view_b.vectors;
  if (columns >= rows || columns >= 32) return multiply_tile(rule, tile.view_a, tile.view_b, tile.c.data(), columns);
  std::vector<uint32_t> transposed(rows * columns);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t j = 0; j < columns; ++j) transposed[j * rows + r] = tile.c[r * columns + j];
  }
  multiply_tile(rule, tile.view_b, tile.view_a, transposed.data(), rows);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t j = 0; j < columns; ++j) tile.c[r * columns + j] = transposed[j * rows + r];
  }
}

}  // namespace

int rows_of(const MatrixRun& run) {
  return run.instruction >= kWgmmaF16 ? 64 : 16;
}
int columns_of(const MatrixRun& run) {
  return run.n;
}

const MatrixInstruction& expected_rule(const MatrixRun& run, const std::string& arch, bool* substitute) {
  const Shape shape = shape_of(run.instruction);
  const MatrixInstruction* own = find_instruction(arch, shape.unit, shape.format, shape.k);
  *substitute = own == nullptr;
  return own != nullptr ? *own : *find_instruction("sm_90", shape.unit, shape.format, shape.k);
}

Comparison compare_matrix(const MatrixRun& run, const MatrixInstruction& rule, const uint32_t* device) {
  Comparison total;
  std::mutex mutex;
  const auto outputs = static_cast<size_t>(rows_of(run) * columns_of(run));
  parallel_chunks(run.tiles, 16, [&](size_t begin, size_t end) {
    for (size_t index = begin; index < end; ++index) {
      Tile tile(run, static_cast<uint32_t>(index));
      multiply_fast(rule, tile);
      const uint32_t* written = device + index * outputs;
      uint64_t mismatches = 0;
      size_t first = outputs;
      for (size_t i = 0; i < outputs; ++i) {
        if (tile.c[i] == written[i]) continue;
        ++mismatches;
        first = std::min(first, i);
      }
      const std::lock_guard lock(mutex);
      total.outputs += outputs;
      total.mismatches += mismatches;
      if (mismatches != 0 && total.first.empty()) {
        const auto columns = static_cast<size_t>(columns_of(run));
        total.first =
            fmt::format("kind {}, tile {}, row {}, column {}: device {:#010x}, library {:#010x}", run.kind,
                        run.first_tile + index, first / columns, first % columns, written[first], tile.c[first]);
      }
    }
  });
  return total;
}

uint64_t count_noticed(const MatrixRun& run, const MatrixInstruction& rule, const uint32_t* device,
                       const plain::DotFault& fault) {
  std::atomic<uint64_t> noticed{0};
  const auto outputs = static_cast<size_t>(rows_of(run) * columns_of(run));
  parallel_chunks(run.tiles, 1, [&](size_t begin, size_t end) {
    for (size_t index = begin; index < end; ++index) {
      Tile tile(run, static_cast<uint32_t>(index));
      plain::multiply_tile(rule, tile.view_a, tile.view_b, tile.c.data(), tile.view_b.vectors, fault);
      uint64_t count = 0;
      for (size_t i = 0; i < outputs; ++i) count += tile.c[i] != device[index * outputs + i] ? 1 : 0;
      noticed += count;
    }
  });
  return noticed;
}

}  // namespace xqacheck::arith::probe
