// mma.sync m16n8k8, m16n8k16 (f16, bf16), m16n8k32 (e4m3, s8): the models of emulation/arith.
//
// Fragments (PTX ISA, "Matrix fragments for mma"): lane = 4 * g + t. A: register 0 and 2 row g, 1 and 3 row g + 8; k
// from t times the elements of a register, the upper half of k in registers 2 and 3. B: column g, upper half of k in
// register
// 1. C and D: columns 2 t and 2 t + 1 of row g, then of row g + 8.
#include <cstring>

#include "emulation/arith/fast/tile_job.hpp"
#include "emulation/arith/tile.hpp"
#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/machine/cta.hpp"
#include "emulation/ptx/machine/lanes.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using arith::Format;

constexpr unsigned kRows = 16, kColumns = 8;

struct Shape {
  const arith::MatrixInstruction* instruction;
  unsigned k, element_bytes, registers_a, registers_b;
};

constexpr const char* kArch = "sm_90";  // the only one whose rules were measured

const Shape& shape_of(unsigned which) {
  const auto find = [](Format format, int k) {
    return arith::find_instruction(kArch, arith::MatrixUnit::mma_sync, format, k);
  };
  static const Shape shapes[] = {{find(Format::f16, 16), 16, 2, 4, 2},  {find(Format::bf16, 16), 16, 2, 4, 2},
                                 {find(Format::f16, 8), 8, 2, 2, 1},    {find(Format::bf16, 8), 8, 2, 2, 1},
                                 {find(Format::e4m3, 32), 32, 1, 4, 2}, {find(Format::s8, 32), 32, 1, 4, 2}};
  return shapes[which];
}

// Rows of A or columns of B: [vector][k] elements of `bytes` each.
void gather(const Warp& warp, const Ref* refs, const Shape& shape, bool is_a, unsigned char* out) {
  const unsigned row_bytes = shape.k * shape.element_bytes, registers = is_a ? shape.registers_a : shape.registers_b;
  for (unsigned r = 0; r < registers; ++r) {
    const W* words = warp.words(refs[r]);
    const unsigned row = is_a ? 8 * (r % 2) : 0, half = is_a ? r / 2 : r;
    for (unsigned lane = 0; lane < 32; ++lane)
      std::memcpy(out + (row + lane / 4) * row_bytes + half * 16 + (lane % 4) * 4, words + lane, 4);
  }
}

// list: A registers, B registers, C registers, D registers.
struct Fragments {
  const Ref *a, *b, *c, *d;
};
Fragments fragments_of(const Warp& warp, const Inst& inst, const Shape& shape) {
  const Ref* list = warp.cta().program().lists.data() + inst.list;
  const Ref* b = list + shape.registers_a;
  return {list, b, b + shape.registers_b, b + shape.registers_b + 4};
}

// f16 and bf16: the 16 rows of A are the vector lanes, the columns of B the rows of the product, which is read
// transposed.
Step run_fused(Warp& warp, const Inst& inst, LaneMask) {
  const Shape& shape = shape_of(inst.which);
  const Fragments f = fragments_of(warp, inst, shape);
  const unsigned k = shape.k;
  std::uint16_t a[kRows][16], b[kColumns * 16];
  gather(warp, f.a, shape, true, reinterpret_cast<unsigned char*>(a));
  gather(warp, f.b, shape, false, reinterpret_cast<unsigned char*>(b));
  // 16 vector lanes of each block of 32 are used; the others stay zero.
  alignas(64) std::uint16_t columns[16 * arith::fast::kLanes] = {};
  const std::uint16_t* rows_of_a = &a[0][0];  // [16][k] packed
  for (unsigned row = 0; row < kRows; ++row)
    for (unsigned i = 0; i < k; ++i) columns[i * arith::fast::kLanes + row] = rows_of_a[row * k + i];
  alignas(64) float row_values[kColumns * 16], column_values[16 * arith::fast::kLanes];
  alignas(64) std::int32_t row_exponents[kColumns * 16];
  alignas(64) std::int16_t column_exponents[16 * arith::fast::kLanes];
  const Format format = shape.instruction->operands;
  arith::fast::decode_row_patterns(format, b, kColumns * k, row_values, row_exponents);
  arith::fast::decode_column_patterns(format, columns, k * arith::fast::kLanes, column_values, column_exponents);
  alignas(64) W c[kColumns][kRows];
  for (unsigned r = 0; r < 4; ++r) {
    const W* in = warp.words(f.c[r]);
    for (unsigned lane = 0; lane < 32; ++lane) c[2 * (lane % 4) + r % 2][lane / 4 + 8 * (r / 2)] = in[lane];
  }
  arith::fast::TileJob job;
  job.rows = {format, kColumns, k, false, b, row_values, row_exponents, nullptr};
  job.columns = {format, kRows, k, true, columns, column_values, nullptr, column_exponents};
  job.rule = shape.instruction->rule;
  job.c = &c[0][0];
  job.ldc = kRows;
  arith::fast::multiply_fused(job);
  for (unsigned r = 0; r < 4; ++r) {
    W* out = warp.words(f.d[r]);
    for (unsigned lane = 0; lane < 32; ++lane) out[lane] = c[2 * (lane % 4) + r % 2][lane / 4 + 8 * (r / 2)];
  }
  return Step::next;
}

// 8-bit operands, through the general interface.
Step run_bytes(Warp& warp, const Inst& inst, LaneMask) {
  const Shape& shape = shape_of(inst.which);
  const Fragments f = fragments_of(warp, inst, shape);
  unsigned char a[kRows * 32], b[kColumns * 32];
  gather(warp, f.a, shape, true, a);
  gather(warp, f.b, shape, false, b);
  W c[kRows][kColumns];
  for (unsigned r = 0; r < 4; ++r) {
    const W* in = warp.words(f.c[r]);
    for (unsigned lane = 0; lane < 32; ++lane) c[lane / 4 + 8 * (r / 2)][2 * (lane % 4) + r % 2] = in[lane];
  }
  const Format format = shape.instruction->operands;
  arith::multiply_tile(*shape.instruction, {format, a, kRows, shape.k, shape.k},
                       {format, b, kColumns, shape.k, shape.k}, &c[0][0], kColumns);
  for (unsigned r = 0; r < 4; ++r) {
    W* out = warp.words(f.d[r]);
    for (unsigned lane = 0; lane < 32; ++lane) out[lane] = c[lane / 4 + 8 * (r / 2)][2 * (lane % 4) + r % 2];
  }
  return Step::next;
}

// mma.sync.aligned.SHAPE.row.col.D.A.B.C
void decode_mma(Decoder& d) {
  if (!d.take("sync") || !d.take("aligned")) d.fail(".sync.aligned is missing");
  if (!d.take("row") || !d.take("col")) d.fail("only .row.col is supported");
  const auto shape_name = d.take_one_of({"m16n8k8", "m16n8k16", "m16n8k32"});
  if (shape_name.empty()) d.fail("the shapes are .m16n8k8, .m16n8k16 and .m16n8k32");
  std::string types;
  for (const auto& modifier : d.instruction().modifiers) {
    if (modifier == "sync" || modifier == "aligned" || modifier == "row" || modifier == "col" || modifier == shape_name)
      continue;
    if (!types.empty()) types += ".";
    types += modifier;
    d.take(modifier);
  }
  constexpr std::pair<std::string_view, std::string_view> kForms[] = {
      {"m16n8k16", "f32.f16.f16.f32"},  {"m16n8k16", "f32.bf16.bf16.f32"}, {"m16n8k8", "f32.f16.f16.f32"},
      {"m16n8k8", "f32.bf16.bf16.f32"}, {"m16n8k32", "f32.e4m3.e4m3.f32"}, {"m16n8k32", "s32.s8.s8.s32"}};
  std::size_t which = std::size(kForms);
  for (std::size_t i = 0; i < std::size(kForms); ++i)
    if (kForms[i].first == shape_name && kForms[i].second == types) which = i;
  if (which == std::size(kForms))
    d.fail("types ." + types + " of this shape are not supported: their arithmetic was not measured");
  const Shape& shape = shape_of(static_cast<unsigned>(which));
  d.expect_operands(4, 4);
  std::vector<Ref> refs;
  const Type accumulator = which == 5 ? Type::s32 : Type::f32;
  const auto add = [&](std::size_t at, unsigned count, Type type, bool destination) {
    const Operand& operand = d.operand(at);
    const auto& parts = operand.parts;
    if (operand.kind == OperandKind::reg && count == 1) {
      refs.push_back(d.source(operand, type));
      return;
    }
    if (operand.kind != OperandKind::vector || parts.size() != count)
      d.fail("operand " + std::to_string(at + 1) + " must have " + std::to_string(count) + " registers");
    for (const auto& part : parts) refs.push_back(destination ? d.destination(part, type) : d.source(part, type));
  };
  add(1, shape.registers_a, Type::b32, false);
  add(2, shape.registers_b, Type::b32, false);
  add(3, 4, accumulator, false);
  add(0, 4, accumulator, true);
  d.set_list(refs);
  d.inst.which = static_cast<std::uint8_t>(which);
  d.inst.together = Together::all;
  d.inst.run = shape.element_bytes == 2 ? run_fused : run_bytes;
}

}  // namespace

void add_matrix(Opcodes& table) {
  table["mma"] = decode_mma;
}

}  // namespace xqacheck::ptx
