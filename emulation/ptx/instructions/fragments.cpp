// ldmatrix, stmatrix, movmatrix: 8 x 8 matrices of 16-bit elements. Lane i holds elements 2 * (i % 4) and the next of
// row i / 4; with .trans, of column i / 4.
#include <cstring>

#include "emulation/ptx/instructions/access.hpp"
#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/machine/cta.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using H = std::uint16_t;

constexpr std::uint32_t kRowBytes = 16;

// The lanes whose addresses count: eight for each matrix. All lanes take part all the same.
LaneMask address_lanes(unsigned matrices) {
  return matrices == 4 ? kAllLanes : (1u << (8 * matrices)) - 1;
}

Step run_load(Warp& warp, const Inst& inst, LaneMask active) {
  const unsigned matrices = inst.elements;
  std::uint64_t addresses[32];
  Located rows;
  addresses_of(warp, inst, active, addresses);
  locate(warp, inst, address_lanes(matrices), addresses, {AccessKind::load, Order::weak, Scope::cta, kRowBytes, 0},
         rows);
  const Ref* to = warp.cta().program().lists.data() + inst.list;
  for (unsigned m = 0; m < matrices; ++m) {
    H matrix[8][8] = {};
    for (unsigned row = 0; row < 8; ++row)
      if ((rows.legal >> (8 * m + row) & 1) != 0) std::memcpy(matrix[row], rows.at[8 * m + row], kRowBytes);
    W* out = warp.words(to[m]);
    if (inst.which == 0) {
      std::memcpy(out, matrix, sizeof matrix);  // lane i: two elements at 4 * i, which is row-major order
    } else {
      for (unsigned lane = 0; lane < 32; ++lane)
        out[lane] = matrix[2 * (lane % 4)][lane / 4] | W{matrix[2 * (lane % 4) + 1][lane / 4]} << 16;
    }
  }
  return Step::next;
}

Step run_store(Warp& warp, const Inst& inst, LaneMask active) {
  const unsigned matrices = inst.elements;
  std::uint64_t addresses[32];
  Located rows;
  addresses_of(warp, inst, active, addresses);
  locate(warp, inst, address_lanes(matrices), addresses, {AccessKind::store, Order::weak, Scope::cta, kRowBytes, 0},
         rows);
  const Ref* from = warp.cta().program().lists.data() + inst.list;
  for (unsigned m = 0; m < matrices; ++m) {
    H matrix[8][8];
    const W* in = warp.words(from[m]);
    if (inst.which == 0) {
      std::memcpy(matrix, in, sizeof matrix);
    } else {
      for (unsigned lane = 0; lane < 32; ++lane) {
        matrix[2 * (lane % 4)][lane / 4] = static_cast<H>(in[lane]);
        matrix[2 * (lane % 4) + 1][lane / 4] = static_cast<H>(in[lane] >> 16);
      }
    }
    for (unsigned row = 0; row < 8; ++row)
      if ((rows.legal >> (8 * m + row) & 1) != 0) std::memcpy(rows.at[8 * m + row], matrix[row], kRowBytes);
  }
  return Step::next;
}

Step run_transpose(Warp& warp, const Inst& inst, LaneMask) {
  H in[8][8], out[8][8];
  std::memcpy(in, warp.words(inst.a), sizeof in);
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 8; ++column) out[column][row] = in[row][column];
  std::memcpy(warp.words(inst.d), out, sizeof out);
  return Step::next;
}

// .sync.aligned.m8n8.xN[.trans].shared.b16
void decode(Decoder& d, bool load) {
  if (!d.take("sync") || !d.take("aligned")) d.fail(".sync.aligned is missing");
  if (!d.take("m8n8")) d.fail("only shape .m8n8 is supported");
  const auto count = d.take_one_of({"x1", "x2", "x4"});
  if (count.empty()) d.fail(".x1, .x2 or .x4 is missing");
  d.inst.which = d.take("trans") ? 1 : 0;
  const StateSpace space = d.take_space({StateSpace::shared}, StateSpace::generic);
  if (d.take_type() != Type::b16) d.fail("the type must be .b16");
  d.expect_operands(2, 2);
  const Operand& address = d.operand(load ? 1 : 0);
  const Operand& registers = d.operand(load ? 0 : 1);
  d.address(address, space);
  d.set_space(space, address);
  d.inst.elements = static_cast<std::uint8_t>(count[1] - '0');
  std::vector<Ref> refs;
  const auto add = [&](const Operand& part) {
    refs.push_back(load ? d.destination(part, Type::b32) : d.source(part, Type::b32));
  };
  if (registers.kind == OperandKind::vector) {
    for (const auto& part : registers.parts) add(part);
  } else {
    add(registers);
  }
  if (refs.size() != d.inst.elements) d.fail("the number of registers is not that of the matrices");
  d.set_list(refs);
  d.inst.together = Together::all;
  d.inst.run = load ? run_load : run_store;
}

void decode_ldmatrix(Decoder& d) {
  decode(d, true);
}
void decode_stmatrix(Decoder& d) {
  decode(d, false);
}

void decode_movmatrix(Decoder& d) {
  if (!d.take("sync") || !d.take("aligned")) d.fail(".sync.aligned is missing");
  if (!d.take("m8n8") || !d.take("trans") || !d.take("b16")) d.fail("only .m8n8.trans.b16 exists");
  d.expect_operands(2, 2);
  d.inst.a = d.source(1, Type::b32);
  d.inst.d = d.destination(0, Type::b32);
  d.inst.together = Together::all;
  d.inst.run = run_transpose;
}

}  // namespace

void add_fragments(Opcodes& table) {
  table["ldmatrix"] = decode_ldmatrix;
  table["stmatrix"] = decode_stmatrix;
  table["movmatrix"] = decode_movmatrix;
}

}  // namespace xqacheck::ptx
