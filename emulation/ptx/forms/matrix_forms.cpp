// mma.sync, ldmatrix, stmatrix, movmatrix: fragments by the layouts of the PTX ISA ("Matrix Fragments for
// mma.m16n8k*").
#include "emulation/arith/plain/dot.hpp"
#include "emulation/ptx/forms/tables.hpp"

namespace xqacheck::ptx::forms {
namespace {

constexpr Width b32 = Width::b32;

// One mma: sizes m16 n8 k, elements of `bytes` bytes; fragments a (k * bytes / 8 registers), b (half as many), c and d
// (4).
struct Product {
  const arith::MatrixInstruction* instruction;
  std::uint32_t k, bytes;

  std::uint32_t a_registers() const { return k * bytes / 8; }
  // Element (row, k) of A: registers alternate rows g and g + 8, then move on by 16 bytes of k.
  std::uint16_t a(std::span<const Warp> in, std::uint32_t row, std::uint32_t i) const {
    const std::uint32_t byte = i * bytes, step = byte / 16;
    return element(in[2 * step + row / 8][(row % 8) * 4 + byte % 16 / 4], byte % 4);
  }
  std::uint16_t b(std::span<const Warp> in, std::uint32_t column, std::uint32_t i) const {
    const std::uint32_t byte = i * bytes;
    return element(in[a_registers() + byte / 16][column * 4 + byte % 16 / 4], byte % 4);
  }
  std::uint16_t element(Bits word, std::uint32_t byte) const {
    return static_cast<std::uint16_t>(word >> 8 * byte & (bytes == 1 ? 0xFF : 0xFFFF));
  }

  void operator()(std::span<const Warp> in, std::span<Warp> out) const {
    const std::uint32_t c = a_registers() * 3 / 2;
    std::vector<std::uint16_t> x(k), y(k);
    for (std::uint32_t row = 0; row < 16; ++row) {
      for (std::uint32_t column = 0; column < 8; ++column) {
        for (std::uint32_t i = 0; i < k; ++i) x[i] = a(in, row, i), y[i] = b(in, column, i);
        const std::uint32_t r = row / 8 * 2 + column % 2, lane_of = (row % 8) * 4 + column / 2;
        out[r][lane_of] = arith::plain::dot(*instruction, x, y, u32(in[c + r][lane_of]));
      }
    }
  }
};

std::string list(const char* prefix, std::size_t from, std::size_t count) {
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i) text += (i ? ", %" : "%") + (prefix + std::to_string(from + i));
  return text + "}";
}

Form mma(const std::string& name, const arith::MatrixInstruction& instruction, std::uint32_t bytes, Operand element,
         Operand c) {
  const Product product{&instruction, static_cast<std::uint32_t>(instruction.k), bytes};
  const std::uint32_t a = product.a_registers(), b = a / 2;
  std::vector<Operand> in(a + b, element);
  in.insert(in.end(), 4, c);
  return {
      name,
      in,
      {b32, b32, b32, b32},
      name + " " + list("d", 0, 4) + ", " + list("a", 0, a) + ", " + list("a", a, b) + ", " + list("a", a + b, 4) + ";",
      product};
}

// A warp's 8x8 matrices of 16-bit elements as rows of four words.
using Rows = std::array<std::array<std::uint32_t, 4>, 32>;
std::uint32_t element(const Rows& rows, std::uint32_t row, std::uint32_t column) {
  return rows[row][column / 2] >> 16 * (column % 2) & 0xFFFF;
}

// Word that `lane` holds of the matrix whose rows begin at `first`.
std::uint32_t fragment(const Rows& rows, std::uint32_t first, std::uint32_t lane, bool transposed) {
  const std::uint32_t row = lane / 4, pair = lane % 4 * 2;
  if (!transposed) return element(rows, first + row, pair) | element(rows, first + row, pair + 1) << 16;
  return element(rows, first + pair, row) | element(rows, first + pair + 1, row) << 16;
}

// Each lane stores its row (operands 0-3) at its scratch, then names by operand 4 the row that it addresses.
Form ldmatrix(std::uint32_t matrices, bool transposed) {
  const std::string name =
      "ldmatrix.sync.aligned.m8n8.x" + std::to_string(matrices) + (transposed ? ".trans" : "") + ".shared.b16";
  return {name,
          {w, w, w, w, any_lane},
          std::vector<Width>(matrices, b32),
          ".reg .b32 at;\n  st.shared.v4.u32 [%shared], {%a0, %a1, %a2, %a3};\n  bar.warp.sync -1;\n"
          "  mad.lo.u32 at, %a4, 64, %warps;\n  " +
              name + " " + list("d", 0, matrices) + ", [at];",
          [=](std::span<const Warp> in, std::span<Warp> out) {
            Rows rows;
            for (std::uint32_t i = 0; i < 32; ++i)
              for (std::uint32_t word = 0; word < 4; ++word) rows[i][word] = u32(in[word][in[4][i]]);
            for (std::uint32_t m = 0; m < matrices; ++m)
              for (std::uint32_t i = 0; i < 32; ++i) out[m][i] = fragment(rows, m * 8, i, transposed);
          }};
}

// Rows first hold operands 0-3; the matrices in operands 4 … overwrite the first ones; everybody reads its own row.
Form stmatrix(std::uint32_t matrices, bool transposed) {
  const std::string name =
      "stmatrix.sync.aligned.m8n8.x" + std::to_string(matrices) + (transposed ? ".trans" : "") + ".shared.b16";
  return {name,
          std::vector<Operand>(4 + matrices, w),
          {b32, b32, b32, b32},
          "st.shared.v4.u32 [%shared], {%a0, %a1, %a2, %a3};\n  bar.warp.sync -1;\n  " + name + " [%shared], " +
              list("a", 4, matrices) + ";\n  bar.warp.sync -1;\n  ld.shared.v4.u32 {%d0, %d1, %d2, %d3}, [%shared];",
          [=](std::span<const Warp> in, std::span<Warp> out) {
            for (std::uint32_t word = 0; word < 4; ++word) out[word] = in[word];
            for (std::uint32_t m = 0; m < matrices; ++m) {
              for (std::uint32_t row = 0; row < 8; ++row) {
                for (std::uint32_t column = 0; column < 8; ++column) {
                  const std::uint32_t r = transposed ? column : row, c = transposed ? row : column;
                  const Bits value = in[4 + m][r * 4 + c / 2] >> 16 * (c % 2) & 0xFFFF;
                  Bits& target = out[column / 2][m * 8 + row];
                  target = (target & ~(Bits{0xFFFF} << 16 * (column % 2))) | value << 16 * (column % 2);
                }
              }
            }
          }};
}

}  // namespace

std::vector<Form> matrix_forms() {
  std::vector<Form> f;
  const auto* f16k8 = arith::find_instruction("sm_90", arith::MatrixUnit::mma_sync, arith::Format::f16, 8);
  f.push_back(mma("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", arith::sm_90::mma_f16(), 2, f16x2, f32));
  f.push_back(mma("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", arith::sm_90::mma_bf16(), 2, bf16x2, f32));
  f.push_back(mma("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", arith::sm_90::mma_e4m3(), 1, e4m3x4, f32));
  f.push_back(mma("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", arith::sm_90::mma_s8(), 1, w, w));
  if (f16k8 != nullptr && f16k8->k == 8)
    f.push_back(mma("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", *f16k8, 2, f16x2, f32));
  for (const std::uint32_t matrices : {1u, 2u, 4u}) {
    for (const bool transposed : {false, true}) {
      f.push_back(ldmatrix(matrices, transposed));
      f.push_back(stmatrix(matrices, transposed));
    }
  }
  f.push_back(
      {"movmatrix.sync.aligned.m8n8.trans.b16", {w}, {b32}, "", [](std::span<const Warp> in, std::span<Warp> out) {
         Rows rows;
         for (std::uint32_t i = 0; i < 32; ++i) rows[i / 4][i % 4] = u32(in[0][i]);
         for (std::uint32_t i = 0; i < 32; ++i) out[0][i] = fragment(rows, 0, i, true);
       }});
  return f;
}

}  // namespace xqacheck::ptx::forms
