#include "emulation/ptx/machine/copies.hpp"

#include <algorithm>
#include <cstring>

#include "emulation/ptx/machine/machine.hpp"
#include "emulation/ptx/schedule/schedule.hpp"

namespace xqacheck::ptx {

void CopyQueue::perform(Cta& cta, const Copy& copy) {
  std::byte* to = cta.shared().data() + copy.to;
  if (copy.source_bytes != 0) {
    // Checked when it was issued; the host may not free memory while a kernel runs.
    const std::byte* from = cta.memory().at(copy.from, copy.source_bytes);
    if (from != nullptr) std::memcpy(to, from, copy.source_bytes);
  }
  std::memset(to + copy.source_bytes, 0, copy.bytes - copy.source_bytes);
}

template <class Keep>
void CopyQueue::perform_unless(Cta& cta, Keep keep) {
  std::size_t kept = 0;
  for (const Copy& copy : copies_) {
    if (keep(copy)) {
      copies_[kept++] = copy;
    } else {
      perform(cta, copy);
    }
  }
  copies_.resize(kept);
}

void CopyQueue::issue(Cta& cta, Copy copy, std::uint32_t delay) {
  copy.group = committed_[copy.lane];
  if (delay == 0) return perform(cta, copy);
  if (delay != Schedule::kWhenNeeded) {
    copy.due = cta.machine().turns() + delay;
    first_due_ = std::min(first_due_, copy.due);
  }
  copies_.push_back(copy);
}

void CopyQueue::land_due(Cta& cta, std::uint64_t turn) {
  if (turn < first_due_) return;
  first_due_ = ~std::uint64_t{0};
  perform_unless(cta, [&](const Copy& copy) {
    if (copy.due <= turn) return false;
    first_due_ = std::min(first_due_, copy.due);
    return true;
  });
}

void CopyQueue::wait(Cta& cta, unsigned lane, std::uint32_t left, bool all) {
  if (copies_.empty()) return;
  const std::uint32_t done = committed_[lane] > left ? committed_[lane] - left : 0;
  perform_unless(cta, [&](const Copy& copy) { return copy.lane != lane || (!all && copy.group >= done); });
}

std::vector<CopyQueue::Arrival> CopyQueue::settle(Cta& cta) {
  // Copies issued behind the arrival land with it: early, but a legal time.
  std::uint32_t lanes = 0;
  for (const auto& arrival : arrivals_) lanes |= 1u << arrival.lane;
  perform_unless(cta, [&](const Copy& copy) { return ((lanes >> copy.lane) & 1) == 0; });
  std::vector<Arrival> ready;
  ready.swap(arrivals_);
  return ready;
}

void CopyQueue::finish(Cta& cta) {
  perform_unless(cta, [](const Copy&) { return false; });
}

}  // namespace xqacheck::ptx
