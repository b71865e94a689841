#include "emulation/recording/replay.hpp"

#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "emulation/arith/plain/convert.hpp"
#include "emulation/kernels/emulate.hpp"

namespace xqacheck::emulation {

namespace {

std::uint32_t bits_at(const std::byte* base, std::uint32_t dtype, std::int64_t element) {
  if (dtype == XQACHECK_E4M3) return std::to_integer<std::uint32_t>(base[element]);
  std::uint16_t bits;
  std::memcpy(&bits, base + 2 * element, sizeof bits);
  return bits;
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
  if (!recording.recipe) {
    throw RecordingError(recording.path + ": the kernel '" + recording.kernel + "' declares no recipe that can be emulated");
  }
  return replay_with(*recording.recipe, recording, threads);
}

}  // namespace xqacheck::emulation
