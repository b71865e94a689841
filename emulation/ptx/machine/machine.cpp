#include "emulation/ptx/machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulation/ptx/instructions/mbarrier.hpp"
#include "emulation/ptx/machine/apart.hpp"

namespace xqacheck::ptx {
namespace {

// Without a schedule: a turn ends when the warp blocks, or now and then so that polling elsewhere is not starved.
constexpr std::uint32_t kLongTurn = 1u << 16;

std::string place_text(const Program& program, std::uint32_t pc) {
  const Place& place = program.places[pc];
  std::string text = fmt::format("{}:{}", program.ptx_file, place.ptx_line);
  if (place.line != 0) text += fmt::format(" ({}:{})", program.files[place.file], place.line);
  return fmt::format("{} '{}'", text, program.texts[pc]);
}

Blocked blocked_of(FragmentState state) {
  switch (state) {
    case FragmentState::at_barrier:
      return Blocked::barrier;
    case FragmentState::at_sync:
      return Blocked::warp_sync;
    case FragmentState::at_grid:
      return Blocked::grid_dependency;
    default:
      return Blocked::running;
  }
}

const char* blocked_text(Blocked blocked) {
  constexpr const char* kTexts[] = {"runs",
                                    "waits at a barrier",
                                    "waits for an mbarrier",
                                    "waits for copies",
                                    "waits for the grid before",
                                    "waits for lanes of its warp",
                                    "has exited"};
  return kTexts[static_cast<int>(blocked)];
}

}  // namespace

void Machine::fault(const Warp& warp, LaneMask lanes, const std::string& what) const {
  const Cta& cta = warp.cta();
  const Program& program = cta.program();
  const std::uint32_t pc = warp.at(lanes).instruction;
  throw MachineFault(fmt::format("{}: {}: {} (CTA {}, warp {}, lane {})", program.name, place_text(program, pc), what,
                                 cta.linear(), warp.number(), lanes == 0 ? 0 : std::countr_zero(lanes)));
}

std::span<const std::byte> Machine::shared_of(std::uint32_t number, std::uint32_t linear) const {
  for (const auto& grid : running_) {
    if (grid->number() != number) continue;
    for (const auto& cta : grid->resident())
      if (cta->linear() == linear) return cta->shared();
  }
  return {};
}

void Machine::start_grids() {
  while (!waiting_.empty()) {
    if (!running_.empty()) {
      // A programmatic dependent may overlap the grid before it, which may itself not overlap a third.
      Grid& before = *running_.back();
      if (running_.size() > 1 || !waiting_.front().programmatic_dependent || !before.allows_dependents()) return;
      if (schedule_ != nullptr && !schedule_->dependent_starts_early()) return;
      if (schedule_ == nullptr) return;
    }
    auto grid = std::make_unique<Grid>(*this, std::move(waiting_.front()), ++grids_);
    waiting_.pop_front();
    grid->predecessors_done = running_.empty();
    grid->begin();
    if (threads_ != 0 && monitor_ == nullptr) meeting_ = meeting_places(grid->program());
    running_.push_back(std::move(grid));
  }
}

void Machine::deliver_arrivals(Cta& cta, std::uint32_t warp) {
  const auto ready = cta.copies(warp).settle(cta);
  // Lanes that arrive by one instruction at one object arrive together.
  for (std::size_t i = 0; i < ready.size();) {
    WarpAt at{cta.grid_number(), cta.linear(), warp, ready[i].instruction, 0};
    std::size_t end = i;
    for (; end < ready.size() && ready[end].mbarrier == ready[i].mbarrier &&
           ready[end].instruction == ready[i].instruction && (at.active >> ready[end].lane & 1) == 0;
         ++end)
      at.active |= 1u << ready[end].lane;
    mbarrier_arrive(cta.warps()[warp], at, ready[i].mbarrier, static_cast<std::uint32_t>(end - i), 1, Order::relaxed,
                    Scope::cta, false);
    i = end;
  }
}

// Collects what can run and asks the schedule. An empty list leaves the turn unused.
Turn Machine::choose() {
  runnable_.clear();
  runnable_warps_.clear();
  for (auto& grid : running_) {
    for (auto& cta : grid->resident()) {
      for (auto& warp : cta->warps()) {
        if (!warp.can_run()) continue;
        runnable_.push_back({grid->number(), cta->linear(), warp.number(), warp.polling()});
        runnable_warps_.push_back({cta.get(), warp.number()});
        if (schedule_ == nullptr && !warp.polling()) return {runnable_.size() - 1, kLongTurn};
      }
    }
  }
  if (runnable_.empty()) return {};
  if (schedule_ == nullptr) return {idle_++ % runnable_.size(), kLongTurn};
  return schedule_->next(runnable_);
}

void Machine::stuck(bool livelock) {
  std::vector<WarpState> states;
  std::string text;
  for (auto& grid : running_) {
    for (auto& cta : grid->resident()) {
      for (auto& warp : cta->warps()) {
        for (const auto& fragment : warp.fragments()) {
          if (fragment.state == FragmentState::free || fragment.state == FragmentState::joining) continue;
          WarpState state;
          state.at = {grid->number(), cta->linear(), warp.number(), fragment.pc, fragment.lanes};
          state.blocked = blocked_of(fragment.state);
          state.detail = fragment.detail;
          states.push_back(state);
          if (states.size() <= 64)  // the message of a large grid need not name every warp
            text += fmt::format("\n  CTA {} warp {} lanes {:08x} {} at {}", cta->linear(), warp.number(),
                                fragment.lanes, blocked_text(state.blocked), place_text(grid->program(), fragment.pc));
        }
      }
    }
  }
  if (monitor_ != nullptr) monitor_->stuck(states, livelock);
  throw MachineFault(fmt::format("{}: {}: no warp can make progress{}", running_.front()->program().name,
                                 livelock ? "livelock" : "deadlock", text));
}

// CTAs that have not run yet, in a grid that shares the machine with no other.
bool Machine::may_run_apart() const {
  if (threads_ == 0 || monitor_ != nullptr || running_.size() != 1) return false;
  if (!waiting_.empty() && waiting_.front().programmatic_dependent) return false;
  const auto& resident = running_.front()->resident();
  return std::any_of(resident.begin(), resident.end(), [](const auto& cta) { return !cta->has_run; });
}

// CTAs that are done make room; true if there were any. With the last one ends its grid.
bool Machine::end_ctas() {
  bool any = false, ended = false;
  for (auto it = running_.begin(); it != running_.end();) {
    any = (*it)->retire() || any;
    if (!(*it)->done() || it != running_.begin()) {
      ++it;
      continue;
    }
    if (monitor_ != nullptr) monitor_->grid_end((*it)->number());
    it = running_.erase(it);
    ended = true;
  }
  if (ended && !running_.empty()) {
    running_.front()->predecessors_done = true;
    for (auto& waiting : running_.front()->resident())
      for (auto& other : waiting->warps())
        for (auto& fragment : other.fragments())
          if (fragment.state == FragmentState::at_grid) fragment.state = FragmentState::running;
  }
  return any;
}

void Machine::run(std::vector<Launch> launches) {
  waiting_.assign(std::make_move_iterator(launches.begin()), std::make_move_iterator(launches.end()));
  running_.clear();
  std::uint64_t polls = 0, executed = 0;
  try {
    while (true) {
      start_grids();
      for (auto& grid : running_) grid->fill();
      if (running_.empty()) break;
      if (may_run_apart()) {
        const std::uint64_t count = run_apart(*running_.front(), meeting_, threads_);
        executed += count, instructions_ += count;
        if (end_ctas()) continue;
      }
      const Turn turn = choose();
      if (runnable_.empty()) stuck(false);
      const auto [cta, number] = runnable_warps_[turn.index];
      Warp& warp = cta->warps()[number];
      const std::uint64_t count = warp.run(std::max(turn.instructions, 1u));
      executed += count, instructions_ += count, ++turns_;
      for (std::uint32_t i = 0; i < cta->warps().size(); ++i) cta->copies(i).land_due(*cta, turns_);
      if (cta->copies(number).has_arrivals()) deliver_arrivals(*cta, number), polls = 0;
      polls = warp.polling() ? polls + 1 : 0;
      if (polls > options_.idle_turns || executed > options_.instruction_limit) stuck(true);
      if (cta->done()) end_ctas();
    }
  } catch (...) {
    running_.clear();
    waiting_.clear();
    throw;
  }
}

}  // namespace xqacheck::ptx
