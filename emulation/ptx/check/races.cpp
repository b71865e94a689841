// Happens-before on one word of memory.
#include <fmt/format.h>

#include "emulation/ptx/check/checker.hpp"

namespace xqacheck::ptx {

// Is the earlier access known to have happened before this lane's?
bool Checker::ordered(const Toucher& who, const Epoch& past) {
  const WarpCheck& warp = *who.warp;
  // What the warp has done itself it also learns through an mbarrier, or another warp: the clocks below.
  if (past.unit() == warp.unit && (past.time() <= warp.synced || past.lane() == who.lane)) return true;
  if (past.unit() < warp.known.complete_below) return true;
  const Unit first =
      past.unit() - warp.first < warp.warps ? warp.first : grid_of_unit(past.unit()).first_of(past.unit());
  if (warp.known.covers(past, first)) return true;
  for (const WarpCheck::Partial& partial : warp.partial)
    if ((partial.lanes >> who.lane & 1) != 0 && partial.clock.covers(past, first)) return true;
  return false;
}

// Two strong accesses whose scopes include each other: not ordered, but no race either ("morally strong").
bool Checker::may_meet(const Toucher& who, const Past& past) {
  const auto strong = [](Strength s) { return s == Strength::strong_cta || s == Strength::strong_gpu; };
  if (!strong(who.strength) || !strong(past.strength)) return false;
  if (who.strength == Strength::strong_gpu && past.strength == Strength::strong_gpu) return true;
  return past.epoch.unit() - who.warp->first < who.warp->warps;  // the same CTA
}

void Checker::report_race(const Toucher& who, const Target& target, const Past& past, const char* mine,
                          const char* theirs) {
  const bool copy = past.strength == Strength::copy;
  const FindingKind kind =
      copy ? (*mine == 'r' ? FindingKind::read_in_flight : FindingKind::overwrite_in_flight) : FindingKind::race;
  report_at(
      kind, who, target,
      copy ? fmt::format("{} of what the asynchronous copy by {} writes, without its wait and a barrier in between",
                         mine, describe(past))
           : fmt::format("{} not ordered with the {} by {}", mine, theirs, describe(past)),
      &past);
}

void Checker::remember_reader(const Toucher& who, Shadow& shadow, Word& word) {
  const Past mine{Epoch(who.warp->unit, who.lane, who.warp->time), who.at->instruction, who.strength};
  const auto merge = [&](Past& old) {  // the same warp has read before
    const bool still_needed = old.epoch.time() > who.warp->synced && old.epoch.lane() != who.lane;
    old = mine;
    if (still_needed) old.epoch = Epoch(who.warp->unit, Epoch::kSeveral, who.warp->time);
  };
  if (!word.read.epoch || ordered(who, word.read.epoch)) {
    if (word.readers == 0 || !word.read.epoch) {
      if (word.read.epoch && word.read.epoch.unit() == who.warp->unit)
        merge(word.read);
      else
        word.read = mine;
      return;
    }
  }
  if (word.read.epoch.unit() == who.warp->unit) return merge(word.read);
  std::vector<Past>& readers = shadow.readers(word);
  for (Past& past : readers)
    if (past.epoch.unit() == who.warp->unit) return merge(past);
  constexpr std::size_t kMostReaders = 64;  // more at once are forgotten: a race with them can be missed
  if (readers.size() < kMostReaders) readers.push_back(mine);
}

void Checker::read_word(const Toucher& who, const Target& target, Word& word) {
  if (word.flight != 0) {
    const Flight& flight = flights_[word.flight];
    const Past past{Epoch(flight.unit, flight.lane, flight.time), flight.instruction, Strength::copy};
    report_race(who, target, past, "read", "copy");
    return;
  }
  const Epoch mine(who.warp->unit, who.lane, who.warp->time);
  if (word.read.epoch == mine && word.read.strength == who.strength) return;  // nothing has been written since
  if (word.write.epoch && !ordered(who, word.write.epoch) && !may_meet(who, word.write))
    report_race(who, target, word.write, "read", "write");
  remember_reader(who, *target.shadow, word);
}

void Checker::write_word(const Toucher& who, const Target& target, Word& word) {
  if (word.flight != 0) {
    const Flight& flight = flights_[word.flight];
    const Past past{Epoch(flight.unit, flight.lane, flight.time), flight.instruction, Strength::copy};
    report_race(who, target, past, "write", "copy");
    // Found once: from here on the write counts, so that who reads it is not reported as well.
    word.flight = 0;
    word.write = {};
  }
  if (word.write.epoch && !ordered(who, word.write.epoch) && !may_meet(who, word.write))
    report_race(who, target, word.write, "write", "write");
  const auto check_read = [&](const Past& past) {
    if (past.epoch && !ordered(who, past.epoch) && !may_meet(who, past))
      report_race(who, target, past, "write", "read");
  };
  check_read(word.read);
  if (word.readers != 0) {
    for (const Past& past : target.shadow->readers(word)) check_read(past);
    target.shadow->drop_readers(word);
  }
  word.read = {};
  word.write = {Epoch(who.warp->unit, who.lane, who.warp->time), who.at->instruction, who.strength};
}

}  // namespace xqacheck::ptx
