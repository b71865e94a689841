// One instruction form of PTX as a micro-kernel: what it reads, the text around it, and what the ISA says it writes.
//
// A form is the opcode with all its modifiers. Its kernel runs kItems threads (128 a CTA, 32 a warp); thread i reads
// operand k from in[k][i] (slots of 8 bytes), executes the form and writes result r to out[r][i], packed by the width
// of the result. The expected results come from `expected`, written from the ISA's text and sharing no code with the
// PTX machine; where a unit's arithmetic has no public definition (special functions, matrix units), from the plain
// rules of emulation/arith, which were measured on an H200 over all inputs (doc/arithmetic.md).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace xqacheck::ptx::forms {

inline constexpr std::uint32_t kItems =
    768;  // 6 CTAs: edge values in pairs and as many random ones; all outputs fit into 1.5 MB
inline constexpr std::uint32_t kThreads = 128;
inline constexpr std::uint32_t kWarps = kItems / 32;
inline constexpr std::uint32_t kScratchBytes = 64;  // of global memory per thread, zeros; and of shared memory, not set

enum class Width : std::uint8_t { b16, b32, b64, pred };  // of a register; a predicate is stored as a byte 0 or 1
std::uint32_t bytes_of(Width width);

// How the values of an operand are drawn: edge values in one half of the items, random ones in the other.
enum class Values : std::uint8_t {
  bits,     // any pattern
  small,    // 0 … 70: shift counts and lengths, beyond the width too
  nonzero,  // divisors
  flag,     // 0 or 1
  sparse,   // one bit, or none
  f32,      // NaN, infinities, denormals, halfway cases of f16, bf16 and e4m3, everything else
  f16x2,    // also for a single f16
  bf16x2,
  e4m3x2,   // also for e4m3x4
  lane,     // 0 … 31
  lane_id,  // the lane's own number
};

struct Operand {
  Width width = Width::b32;
  Values values = Values::bits;
};

using Warp = std::array<std::uint64_t, 32>;  // a value for each lane, zero-extended

struct Form {
  std::string name;  // "add.ftz.f32"; a second kernel of the same form adds "#what"
  std::vector<Operand> in;
  std::vector<Width> out;
  // PTX statements; %a0 … are the operands, %d0 … the results; %lane, %warp (in the CTA), %item are .b32,
  // %global and %shared (.b64, .b32) the addresses of this thread's scratch, %warpg and %warps those of lane 0.
  // Empty: "name %d0, %a0, …;".
  std::string body;
  std::function<void(std::span<const Warp> in, std::span<Warp> out)> expected;
};

// The opcode without "#what".
std::string opcode_of(const Form& form);

// All forms, in a fixed order; names are unique.
const std::vector<Form>& all_forms();

// Module with one entry `form`: parameters u64 in, u64 out, u64 scratch, u32 number = kNumber, f32 real = kRealBits.
std::string kernel_text(const Form& form);
inline constexpr std::uint32_t kNumber = 0x9E3779B9,
                               kRealBits = 0x40490FDB;  // any numbers: bits of the golden ratio and of pi

// in[k][i] of kernel_text, a pure function of form and seed.
std::vector<std::uint64_t> make_inputs(const Form& form, std::uint64_t seed);

// Bytes of out, all results; offset of result r.
std::uint64_t output_bytes(const Form& form);
std::uint64_t output_offset(const Form& form, std::size_t result);

// What out must hold.
std::vector<std::byte> expected_output(const Form& form, std::span<const std::uint64_t> inputs);

}  // namespace xqacheck::ptx::forms
