#include "emulation/ptx/machine/apart.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <string_view>
#include <thread>
#include <utility>

#include "emulation/ptx/instructions/move.hpp"
#include "emulation/ptx/machine/machine.hpp"

namespace xqacheck::ptx {
namespace {

// Until the warp blocks; a poll within the CTA lets the others go on.
constexpr std::uint64_t kTurn = 1u << 16;
// Turns in a row in which every warp only polled: it waits for something outside, or for ever. The ordinary loop says
// which.
constexpr std::uint32_t kIdleTurns = 1000;
// Instructions of one CTA: an endless loop is the ordinary loop's to report.
constexpr std::uint64_t kMost = std::uint64_t{1} << 32;

bool is_one_of(std::string_view opcode, std::initializer_list<std::string_view> names) {
  const std::string_view first = opcode.substr(0, opcode.find('.'));
  return std::find(names.begin(), names.end(), first) != names.end();
}

bool meets(const Inst& inst, std::string_view opcode) {
  if (reads_clock(inst) || is_one_of(opcode, {"trap", "brkpt"})) return true;
  if (opcode.starts_with("griddepcontrol.launch")) return true;
  const bool private_space = !inst.generic && (inst.space == Space::shared || inst.space == Space::local);
  if (private_space) return false;
  if (is_one_of(opcode, {"atom", "red"})) return true;
  return is_one_of(opcode, {"ld", "ldu", "st"}) && inst.order != Order::weak;
}

// One CTA as far as it comes alone.
std::uint64_t run_one(Cta& cta, const std::uint8_t* meeting) {
  std::uint64_t executed = 0;
  std::uint32_t idle = 0;
  while (executed < kMost && idle < kIdleTurns) {
    bool ran = false, polled = true;
    for (Warp& warp : cta.warps()) {
      if (!warp.can_run()) continue;
      const std::uint64_t count = warp.run(kTurn, meeting);
      executed += count;
      if (count == 0) continue;  // stands before a place to meet
      ran = true;
      polled = polled && warp.polling();
      if (cta.copies(warp.number()).has_arrivals()) cta.machine().deliver_arrivals(cta, warp.number()), polled = false;
    }
    if (!ran) break;
    idle = polled ? idle + 1 : 0;
  }
  return executed;
}

}  // namespace

std::vector<std::uint8_t> meeting_places(const Program& program) {
  std::vector<std::uint8_t> places(program.code.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = meets(program.code[i], program.texts[i]);
  return places;
}

std::uint64_t run_apart(Grid& grid, const std::vector<std::uint8_t>& meeting, std::uint32_t threads) {
  std::vector<Cta*> fresh;
  for (auto& cta : grid.resident())
    if (!std::exchange(cta->has_run, true)) fresh.push_back(cta.get());
  std::vector<std::exception_ptr> thrown(fresh.size());
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> executed{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < fresh.size(); i = next++) {
      try {
        executed += run_one(*fresh[i], meeting.data());
      } catch (...) {
        thrown[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, fresh.size()); ++i) others.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& error : thrown)
    if (error != nullptr) std::rethrow_exception(error);
  return executed;
}

}  // namespace xqacheck::ptx
