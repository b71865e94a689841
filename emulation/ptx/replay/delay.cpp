#include "emulation/ptx/replay/delay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "emulation/ptx/front/error.hpp"

namespace xqacheck::ptx {
namespace {

constexpr std::uint32_t kMostSleep = 1000000;    // of one nanosleep (PTX ISA: 1 ms)
constexpr std::uint64_t kMostDelay = 100000000;  // 0.1 s: drivers of displays give up after seconds
constexpr std::uint32_t kMostWarps = 32;         // of a CTA

std::string sleep_text(const Delay& delay) {
  std::string sleeps;
  const auto add = [&](const char* guard) {
    for (std::uint64_t left = delay.nanoseconds; left != 0;) {
      const auto now = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, kMostSleep));
      sleeps += fmt::format("{} nanosleep.u32 {};", guard, now);
      left -= now;
    }
  };
  if (delay.warps.empty()) {
    add("");
    return "{" + sleeps + "}";
  }
  // The number of the warp: %warpid is that of the hardware, which may change.
  std::string text =
      "{.reg .pred %delay_p; .reg .b32 %delay_a, %delay_b, %delay_c;"
      "mov.u32 %delay_a, %tid.y; mov.u32 %delay_b, %tid.z; mov.u32 %delay_c, %ntid.y;"
      "mad.lo.u32 %delay_a, %delay_b, %delay_c, %delay_a;"
      "mov.u32 %delay_b, %tid.x; mov.u32 %delay_c, %ntid.x;"
      "mad.lo.u32 %delay_a, %delay_a, %delay_c, %delay_b; shr.u32 %delay_a, %delay_a, 5;";
  for (const std::uint32_t warp : delay.warps) {
    text += fmt::format("setp.eq.u32 %delay_p, %delay_a, {};", warp);
    sleeps.clear();
    add("@%delay_p");
    text += sleeps;
  }
  return text + "}";
}

}  // namespace

bool parse_delay(const std::string& text, Delay& delay, std::string& why) {
  delay = {};
  const char* at = text.data();
  const char* end = text.data() + text.size();
  const auto number = [&](auto& value) {
    const auto [stop, error] = std::from_chars(at, end, value);
    const bool good = error == std::errc{} && stop != at;
    at = stop;
    return good;
  };
  bool good = number(delay.ptx_line) && at != end && *at++ == '=' && number(delay.nanoseconds);
  if (good && at != end) {
    good = *at++ == '@';
    while (good) {
      good = number(delay.warps.emplace_back()) && delay.warps.back() < kMostWarps;
      if (!good || at == end) break;
      good = *at++ == ',';
    }
  }
  if (good && delay.ptx_line != 0 && delay.nanoseconds != 0 && delay.nanoseconds <= kMostDelay) return true;
  why = fmt::format(
      "'{}': LINE=NANOSECONDS or LINE=NANOSECONDS@WARP,WARP is expected, such as 5015=100000@5,6; at most {} ns", text,
      kMostDelay);
  return false;
}

std::string to_text(const Delay& delay) {
  std::string warps;
  for (const std::uint32_t warp : delay.warps) warps += fmt::format("{}{}", warps.empty() ? " in warps " : ", ", warp);
  return fmt::format("{} ns before ptx line {}{}", delay.nanoseconds, delay.ptx_line, warps);
}

std::string with_delay(const std::string& text, const Module& module, const Delay& delay) {
  const bool found = std::any_of(module.functions.begin(), module.functions.end(), [&](const Function& function) {
    return std::any_of(function.body.begin(), function.body.end(),
                       [&](const Instruction& instruction) { return instruction.place.line == delay.ptx_line; });
  });
  if (!found)
    throw PtxError(
        fmt::format("{}: no instruction begins in line {}: none can be delayed", module.file, delay.ptx_line));
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < delay.ptx_line; ++line) at = text.find('\n', at) + 1;
  return text.substr(0, at) + sleep_text(delay) + "\n" + text.substr(at);
}

}  // namespace xqacheck::ptx
