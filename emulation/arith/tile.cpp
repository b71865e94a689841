#include "emulation/arith/tile.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "emulation/arith/fast/tile_job.hpp"
#include "emulation/arith/plain/convert.hpp"
#include "emulation/arith/plain/dot.hpp"
#include "emulation/arith/plain/f32.hpp"

namespace xqacheck::arith {

namespace {

size_t rounded_up(size_t n, size_t unit) {
  return (n + unit - 1) / unit * unit;
}

bool via_f16(const MatrixInstruction& instruction) {
  return instruction.lowering == Lowering::e4m3_via_f16;
}

// Products that belong together: k is padded to a multiple.
size_t step_of(const MatrixInstruction& instruction) {
  const bool whole_instruction = instruction.lowering != Lowering::fused;
  return static_cast<size_t>(whole_instruction ? instruction.k : instruction.rule.group);
}

// Where element k of a step of 32 goes so that the two f16 groups are contiguous: k mod 4 in {0,1} first, then {2,3}.
size_t position(const MatrixInstruction& instruction, size_t k) {
  if (!via_f16(instruction)) return k;
  const size_t in_step = k % 32;
  return k - in_step + in_step % 4 / 2 * 16 + in_step / 4 * 2 + in_step % 2;
}

// The pattern that the fused rule sees.
std::array<uint16_t, 256> widened_e4m3() {
  std::array<uint16_t, 256> table{};
  for (size_t i = 0; i < table.size(); ++i) table[i] = plain::cvt_f16_e4m3(static_cast<uint8_t>(i));
  return table;
}

Format computed_format(const MatrixInstruction& instruction) {
  return via_f16(instruction) ? Format::f16 : instruction.operands;
}

}  // namespace

struct OperandDecoder {
  static DecodedOperand decode(const MatrixInstruction& instruction, const OperandView& view, bool columns) {
    if (view.format != instruction.operands) {
      throw std::invalid_argument("operand format differs from the instruction's");
    }
    DecodedOperand operand;
    operand.instruction_ = instruction;
    operand.columns_ = columns;
    operand.vectors_ = view.vectors;
    operand.k_ = view.k;
    operand.k_padded_ = rounded_up(view.k, step_of(instruction));
    gather_patterns(operand, view);
    expand(operand);
    return operand;
  }

  static fast::OperandData data(const DecodedOperand& operand) {
    return {computed_format(operand.instruction_),
            operand.vectors_,
            operand.k_padded_,
            operand.columns_,
            operand.patterns_.data(),
            operand.values_.data(),
            operand.row_exponents_.data(),
            operand.column_exponents_.data()};
  }

  static void multiply(const MatrixInstruction& instruction, const DecodedOperand& rows, const DecodedOperand& columns,
                       uint32_t* c, size_t ldc) {
    check(instruction, rows, columns);
    const fast::TileJob job{data(rows), data(columns), instruction.rule, via_f16(instruction), c, ldc};
    if (instruction.lowering == Lowering::integer) return fast::multiply_integer(job);
    if (fast::covers(instruction.rule, job.rows.format)) return fast::multiply_fused(job);
    fast::multiply_plainly(job);
  }

 private:
  static void gather_patterns(DecodedOperand& operand, const OperandView& view) {
    static const std::array<uint16_t, 256> kWidened = widened_e4m3();
    const bool widen = via_f16(operand.instruction_);
    const size_t k = operand.k_padded_;
    const size_t vectors = operand.columns_ ? rounded_up(view.vectors, fast::kLanes) : view.vectors;
    // Rows are decoded in chunks of 32 patterns, hence the tail.
    operand.patterns_.assign(rounded_up(vectors * k, fast::kLanes), 0);
    if (!widen) {
      if (bytes_of(view.format) == 1) {
        copy_patterns(operand, view, static_cast<const uint8_t*>(view.bits));
      } else {
        copy_patterns(operand, view, static_cast<const uint16_t*>(view.bits));
      }
      return;
    }
    const auto place = [&](size_t vector, size_t i) -> uint16_t& {
      const size_t at = position(operand.instruction_, i);
      return operand
          .patterns_[operand.columns_ ? (vector / fast::kLanes * k + at) * fast::kLanes + vector % fast::kLanes
                                      : vector * k + at];
    };
    const auto value = [&](size_t vector, size_t i) {
      return kWidened[view.pattern(vector, i)];
    };
    if (view.k_contiguous) {
      for (size_t v = 0; v < view.vectors; ++v) {
        for (size_t i = 0; i < view.k; ++i) place(v, i) = value(v, i);
      }
    } else {
      for (size_t i = 0; i < view.k; ++i) {
        for (size_t v = 0; v < view.vectors; ++v) place(v, i) = value(v, i);
      }
    }
  }

  // k in its own order: whole runs of one operand are copied at a time.
  template <class Pattern>
  static void copy_patterns(DecodedOperand& operand, const OperandView& view, const Pattern* bits) {
    const size_t k = operand.k_padded_;
    uint16_t* patterns = operand.patterns_.data();
    if (!operand.columns_) {
      for (size_t v = 0; v < view.vectors; ++v) {
        for (size_t i = 0; i < view.k; ++i) {
          patterns[v * k + i] = view.k_contiguous ? bits[v * view.leading + i] : bits[i * view.leading + v];
        }
      }
      return;
    }
    for (size_t first = 0; first < view.vectors; first += fast::kLanes) {
      const size_t lanes = std::min(fast::kLanes, view.vectors - first);
      uint16_t* block = patterns + first * k;
      if (view.k_contiguous) {
        // Eight k of all lanes at a time: what is written stays in the first cache.
        constexpr size_t kRun = 8;
        for (size_t begin = 0; begin < view.k; begin += kRun) {
          const size_t end = std::min(view.k, begin + kRun);
          for (size_t lane = 0; lane < lanes; ++lane) {
            const Pattern* source = bits + (first + lane) * view.leading;
            for (size_t i = begin; i < end; ++i) block[i * fast::kLanes + lane] = source[i];
          }
        }
      } else {
        for (size_t i = 0; i < view.k; ++i) {
          std::copy_n(bits + i * view.leading + first, lanes, block + i * fast::kLanes);
        }
      }
    }
  }

  static void expand(DecodedOperand& operand) {
    const size_t n = operand.patterns_.size();
    if (operand.columns_) {
      operand.column_exponents_.resize(n);
    } else {
      operand.row_exponents_.resize(n);
    }
    if (operand.instruction_.lowering == Lowering::integer) {
      for (size_t i = 0; i < n; ++i) {
        const auto integer = static_cast<int8_t>(operand.patterns_[i]);
        if (operand.columns_) {
          operand.column_exponents_[i] = integer;
        } else {
          operand.row_exponents_[i] = integer;
        }
      }
      return;
    }
    operand.values_.resize(n);
    const Format format = computed_format(operand.instruction_);
    if (operand.columns_) {
      fast::decode_column_patterns(format, operand.patterns_.data(), n, operand.values_.data(),
                                   operand.column_exponents_.data());
    } else {
      fast::decode_row_patterns(format, operand.patterns_.data(), n, operand.values_.data(),
                                operand.row_exponents_.data());
    }
  }

  static void check(const MatrixInstruction& instruction, const DecodedOperand& rows, const DecodedOperand& columns) {
    if (rows.columns_ || !columns.columns_) throw std::invalid_argument("operands are in the wrong roles");
    if (rows.k_ != columns.k_) throw std::invalid_argument("operands differ in k");
    for (const DecodedOperand* operand : {&rows, &columns}) {
      const MatrixInstruction& other = operand->instruction_;
      if (other.operands != instruction.operands || other.lowering != instruction.lowering ||
          step_of(other) != step_of(instruction)) {
        throw std::invalid_argument("operand was decoded for another kind of instruction");
      }
    }
  }
};

DecodedOperand decode_rows(const MatrixInstruction& instruction, const OperandView& a) {
  return OperandDecoder::decode(instruction, a, false);
}

DecodedOperand decode_columns(const MatrixInstruction& instruction, const OperandView& b) {
  return OperandDecoder::decode(instruction, b, true);
}

void multiply(const MatrixInstruction& instruction, const DecodedOperand& rows, const DecodedOperand& columns,
              uint32_t* c, size_t ldc) {
  OperandDecoder::multiply(instruction, rows, columns, c, ldc);
}

void multiply_tile(const MatrixInstruction& instruction, const OperandView& a, const OperandView& b, uint32_t* c,
                   size_t ldc) {
  multiply(instruction, decode_rows(instruction, a), decode_columns(instruction, b), c, ldc);
}

namespace fast {

uint32_t plain_group(const TileJob& job, size_t row, size_t column, size_t begin, uint32_t c) {
  constexpr size_t kMaxGroup = 64;
  std::array<uint16_t, kMaxGroup> a;
  std::array<uint16_t, kMaxGroup> b;
  const auto group = static_cast<size_t>(job.rule.group);
  for (size_t i = 0; i < group; ++i) {
    a[i] = job.rows.pattern(row, begin + i);
    b[i] = job.columns.pattern(column, begin + i);
  }
  return plain::fused_dot(job.rule, job.rows.format, {a.data(), group}, {b.data(), group}, c);
}

void multiply_plainly(const TileJob& job) {
  const auto group = static_cast<size_t>(job.rule.group);
  const size_t step = job.add_after_steps ? 2 * group : group;
  for (size_t row = 0; row < job.rows.vectors; ++row) {
    for (size_t column = 0; column < job.columns.vectors; ++column) {
      uint32_t& c = job.c[row * job.ldc + column];
      for (size_t k = 0; k < job.rows.k; k += step) {
        if (!job.add_after_steps) {
          c = plain_group(job, row, column, k, c);
        } else {
          c = plain::add_rn_f32(c, plain_group(job, row, column, k + group, plain_group(job, row, column, k, 0)));
        }
      }
    }
  }
}

bool covers(const DotRule& rule, Format format) {
  const FloatFormat& layout = layout_of(format);
  const int extra = rule.fraction_bits - 2 * layout.mantissa_bits;
  if (extra < 0 || rule.group % 2 != 0) return false;
  const int64_t mantissa = (int64_t{2} << layout.mantissa_bits) - 1;
  return (mantissa * mantissa << extra) * rule.group < int64_t{1} << 31;
}

}  // namespace fast

}  // namespace xqacheck::arith
