#include "emulation/recording/replay.hpp"

#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "emulation/arith/plain/convert.hpp"
#include "emulation/kernels/carry_out.hpp"
#include "emulation/kernels/emulate.hpp"
#include "emulation/recording/calls_file.hpp"

namespace xqacheck::emulation {

namespace {

std::uint32_t bits_at(const std::byte* base, std::uint32_t dtype, std::int64_t element) {
  if (dtype == XQACHECK_E4M3) return std::to_integer<std::uint32_t>(base[element]);
  std::uint16_t bits;
  std::memcpy(&bits, base + 2 * element, sizeof bits);
  return bits;
}

std::uint64_t count_of_elements(const xqacheck_problem& problem) {
  return std::uint64_t{problem.total_rows} * problem.q_heads * problem.head_dim_v;
}

// Where only a hash was recorded a difference counts as one of every element: nobody knows which.
Replay compare_hashes(const xqacheck_problem& problem, const std::string& recorded, std::span<const std::byte> emulated) {
  Replay result;
  result.elements = count_of_elements(problem);
  result.differing = hash_of_bytes(with_empty_gaps(problem, emulated)) == recorded ? 0 : result.elements;
  return result;
}

void compare_lse(const Recording& recording, std::span<const std::byte> emulated, Replay& result) {
  result.lse_values = emulated.size() / sizeof(float);
  if (!recording.lse_hash.empty()) {
    result.lse_differing = hash_of_bytes(emulated) == recording.lse_hash ? 0 : result.lse_values;
    return;
  }
  for (std::size_t i = 0; i < emulated.size(); i += sizeof(float))
    result.lse_differing += std::memcmp(emulated.data() + i, recording.lse.data() + i, sizeof(float)) != 0;
}

// Families with an emulator of their own.
Replay replay_fixed(const Recording& recording) {
  // What the emulator does not write must not look right by accident; gaps keep what the harness fills outputs with.
  std::vector<std::byte> out(recording.problem.out_bytes(), std::byte{0xff}), lse(recording.problem.lse_bytes(), std::byte{0xff});
  const xqacheck_problem problem = recording.problem.view(out.data(), lse.empty() ? nullptr : lse.data());
  const DeclaredRecipe& declared = recording.declared;
  const xqacheck_recipe recipe{declared.family.c_str(), declared.arch.c_str(), declared.toolkit.c_str(),
                               declared.parameters.c_str()};
  const auto start = std::chrono::steady_clock::now();
  carry_out(recipe, problem);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Replay result = recording.out_hash.empty() ? compare_outputs(problem, recording.out.data(), out.data())
                                             : compare_hashes(problem, recording.out_hash, out);
  if (!recording.lse.empty() || !recording.lse_hash.empty()) compare_lse(recording, lse, result);
  result.seconds = seconds;
  result.own_plan = recording.problem.description.forced_splits;  // the plan is the kernel's host side, not its arithmetic
  return result;
}

}  // namespace

std::int64_t ulps_between(std::uint32_t dtype, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t sign = dtype == XQACHECK_E4M3 ? 0x80u : 0x8000u;
  // Patterns on one line: -0 lies one step below +0.
  const auto place = [&](std::uint32_t bits) -> std::int64_t {
    return (bits & sign) != 0 ? -1 - static_cast<std::int64_t>(bits & ~sign) : static_cast<std::int64_t>(bits);
  };
  return std::abs(place(a) - place(b));
}

double value_of_bits(std::uint32_t dtype, std::uint32_t bits) {
  std::uint32_t wide = 0;
  if (dtype == XQACHECK_E4M3) wide = arith::plain::cvt_f32_e4m3(static_cast<std::uint8_t>(bits));
  else if (dtype == XQACHECK_BF16) wide = arith::plain::cvt_f32_bf16(static_cast<std::uint16_t>(bits));
  else wide = arith::plain::cvt_f32_f16(static_cast<std::uint16_t>(bits));
  return static_cast<double>(std::bit_cast<float>(wide));
}

Replay compare_outputs(const xqacheck_problem& problem, const std::byte* recorded, const std::byte* emulated) {
  Replay result;
  const Call call(problem);
  const std::uint32_t dtype = problem.out.dtype;
  for (std::uint32_t b = 0; b < call.requests; ++b) {
    const std::uint32_t rows = call.query_rows(b) * call.beams;
    for (std::uint32_t r = 0; r < rows; ++r) {
      for (std::uint32_t h = 0; h < problem.q_heads; ++h) {
        const std::int64_t offset = call.out_offset(call.first_row(b) + r, h);
        for (std::uint32_t d = 0; d < problem.head_dim_v; ++d) {
          ++result.elements;
          const std::uint32_t want = bits_at(recorded, dtype, offset + d), got = bits_at(emulated, dtype, offset + d);
          if (want == got) continue;
          ++result.differing;
          const std::int64_t ulps = ulps_between(dtype, want, got);
          result.most_ulps = std::max(result.most_ulps, ulps);
          if (!result.first) result.first = Difference{b, r, h, d, want, got, ulps};
        }
      }
    }
  }
  return result;
}

Replay replay_with(const Recipe& recipe, const Recording& recording, int threads) {
  // What the emulator does not write must not look right by accident.
  std::vector<std::byte> out(recording.out.size(), std::byte{0xff});
  xqacheck_problem problem = recording.problem.view(out.data(), nullptr);
  problem.out.bytes = out.size();
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::uint32_t> semaphores = emulate(recipe, problem, {threads});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  Replay result = compare_outputs(problem, recording.out.data(), out.data());
  result.seconds = seconds;
  result.semaphores_equal = !recording.semaphores || *recording.semaphores == semaphores;
  problem.forced_splits = 0;
  result.own_plan = split_plan(recipe, problem);
  return result;
}

Replay replay(const Recording& recording, int threads) {
  if (recording.recipe) return replay_with(*recording.recipe, recording, threads);
  if (!can_be_emulated(recording)) {
    throw RecordingError(recording.path + ": the kernel '" + recording.kernel + "' declares no recipe that can be emulated");
  }
  return replay_fixed(recording);
}

}  // namespace xqacheck::emulation
