// The instruction groups, one file each: how a form is decoded, and what it does.
#pragma once

#include "emulation/ptx/decode/decoder.hpp"

namespace xqacheck::ptx {

void add_integer(Opcodes& table);
void add_carry(Opcodes& table);       // addc, subc
void add_logic(Opcodes& table);       // and, or, xor, not, cnot, lop3
void add_shifts(Opcodes& table);      // shl, shr, shf, prmt
void add_bit_fields(Opcodes& table);  // bfe, bfi, popc, clz, bfind, brev
void add_float(Opcodes& table);       // f32, f64
void add_special(Opcodes& table);     // ex2, lg2, rcp, rsqrt, sqrt, div of floats
void add_compare(Opcodes& table);     // setp, set, selp, slct
void add_convert(Opcodes& table);     // cvt
void add_move(Opcodes& table);        // mov, cvta, isspacep, special registers
void add_access(Opcodes& table);      // ld, st
void add_atomics(Opcodes& table);     // atom, red
void add_copies(Opcodes& table);      // cp.async
void add_barriers(Opcodes& table);    // bar, barrier, fence, membar
void add_mbarrier(Opcodes& table);    // mbarrier
void add_exchange(Opcodes& table);    // shfl, vote, match, redux, elect, activemask
void add_fragments(Opcodes& table);   // ldmatrix, stmatrix, movmatrix
void add_matrix(Opcodes& table);      // mma

// Arithmetic opcodes are shared by types: these take over for floats (f16 … f64) and return false for integers.
bool decode_float_arithmetic(Decoder& d);
bool decode_half_arithmetic(Decoder& d, Type type);
void decode_float_divide(Decoder& d);

}  // namespace xqacheck::ptx
