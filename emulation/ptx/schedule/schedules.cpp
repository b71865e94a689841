// The schedules themselves. All choose among warps that can do something before those that only poll, and take polling
// warps by turns: no schedule makes a livelock of its own.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "emulation/ptx/schedule/schedule.hpp"

namespace xqacheck::ptx {
namespace {

// SplitMix64 (Steele, Lea, Flood, 2014): small, and good enough to shuffle.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t span) { return next() % span; }

 private:
  std::uint64_t state_;
};

using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
Key key_of(const Runnable& warp) {
  return {warp.grid, warp.cta, warp.warp};
}

std::vector<std::uint32_t> identity(std::uint32_t ctas) {
  std::vector<std::uint32_t> order(ctas);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}
std::vector<std::uint32_t> shuffled(std::uint32_t ctas, Random& random) {
  std::vector<std::uint32_t> order = identity(ctas);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

// Turns: long ones for schedules that run a warp until it blocks; a polling warp gets few instructions.
constexpr std::uint32_t kLong = 4096, kPoll = 64;
// A prime, so that turns do not fall into step with loops.
constexpr std::uint32_t kShort = 7;

class Base : public Schedule {
 public:
  explicit Base(std::uint64_t seed) : random_(seed), seed_(seed) {}
  std::vector<std::uint32_t> cta_order(std::uint32_t, std::uint32_t ctas) override { return identity(ctas); }
  std::uint32_t copy_delay() override { return kWhenNeeded; }  // as late as possible finds what does not wait
  bool dependent_starts_early() override { return true; }
  void after_atomic(std::uint32_t, std::uint32_t, std::uint32_t) override {}

  Turn next(std::span<const Runnable> runnable) override {
    // Now and then everybody's turn: nobody may starve for ever, for somebody may spin until it has run.
    constexpr std::uint64_t kFairEvery = 2048;
    if (++turns_ % kFairEvery == 0) return chosen(runnable, next_in_circle(runnable, fair_last_), fair_last_, kShort);
    std::size_t best = preferred(runnable);
    if (best == runnable.size() && !tired_.empty()) {
      tired_.clear();
      best = preferred(runnable);
    }
    if (best != runnable.size()) {
      // Chosen again at once after whole turns: it may spin. Others first.
      constexpr std::uint32_t kPatience = 4;
      streak_ = key_of(runnable[best]) == last_ ? streak_ + 1 : 0;
      if (streak_ >= kPatience && turn() == kLong) tired_.push_back(last_);
      return chosen(runnable, best, last_, turn());
    }
    return chosen(runnable, next_in_circle(runnable, last_), last_, kPoll);  // everybody polls
  }

 protected:
  // Is a to run rather than b?
  virtual bool before(const Runnable& a, const Runnable& b) { return key_of(a) < key_of(b); }
  virtual std::uint32_t turn() { return kLong; }
  // In circles from the last one.
  bool round_robin(const Runnable& a, const Runnable& b) const {
    const bool a_later = key_of(a) > last_, b_later = key_of(b) > last_;
    return a_later != b_later ? a_later : key_of(a) < key_of(b);
  }

  Random random_;
  std::uint64_t seed_;
  Key last_{};

 private:
  // The one that comes first by `before`; the size if all poll or are tired.
  std::size_t preferred(std::span<const Runnable> runnable) {
    std::size_t best = runnable.size();
    for (std::size_t i = 0; i < runnable.size(); ++i) {
      if (runnable[i].polling) continue;
      if (!tired_.empty() && std::find(tired_.begin(), tired_.end(), key_of(runnable[i])) != tired_.end()) continue;
      if (best == runnable.size() || before(runnable[i], runnable[best])) best = i;
    }
    return best;
  }
  static std::size_t next_in_circle(std::span<const Runnable> runnable, const Key& last) {
    std::size_t after = runnable.size(), least = 0;
    for (std::size_t i = 0; i < runnable.size(); ++i) {
      const Key key = key_of(runnable[i]);
      if (key > last && (after == runnable.size() || key < key_of(runnable[after]))) after = i;
      if (key < key_of(runnable[least])) least = i;
    }
    return after != runnable.size() ? after : least;
  }
  static Turn chosen(std::span<const Runnable> runnable, std::size_t index, Key& last, std::uint32_t instructions) {
    last = key_of(runnable[index]);
    return {index, instructions};
  }

  std::uint64_t turns_ = 0;
  std::uint32_t streak_ = 0;
  std::vector<Key> tired_;
  Key fair_last_{};
};

class InOrder final : public Base {
 public:
  using Base::Base;
  std::uint32_t copy_delay() override { return 0; }
  bool dependent_starts_early() override { return false; }
};

class RoundRobin final : public Base {
 public:
  using Base::Base;

 protected:
  bool before(const Runnable& a, const Runnable& b) override { return round_robin(a, b); }
  std::uint32_t turn() override { return kShort; }
};

class RandomOrder : public Base {
 public:
  using Base::Base;
  std::vector<std::uint32_t> cta_order(std::uint32_t, std::uint32_t ctas) override { return shuffled(ctas, random_); }
  std::uint32_t copy_delay() override { return random_.below(2) == 0 ? 0 : kWhenNeeded; }
  bool dependent_starts_early() override { return random_.below(2) == 0; }
  Turn next(std::span<const Runnable> runnable) override {
    // Length 1 to 128, short ones as often as long ones. Polling warps come as often as others.
    const auto most = std::uint64_t{1} << random_.below(8);
    return {static_cast<std::size_t>(random_.below(runnable.size())),
            static_cast<std::uint32_t>(1 + random_.below(most))};
  }
};

class StrayCopies final : public RandomOrder {
 public:
  using RandomOrder::RandomOrder;
  // 1 to 16384 turns, short times as often as long ones: a CTA lives for some thousand.
  std::uint32_t copy_delay() override {
    return static_cast<std::uint32_t>(1 + random_.below(std::uint64_t{1} << random_.below(15)));
  }
};

class StarveWarp final : public Base {
 public:
  using Base::Base;

 protected:
  bool before(const Runnable& a, const Runnable& b) override {
    if (starved(a) != starved(b)) return starved(b);
    return round_robin(a, b);
  }
  std::uint32_t turn() override { return kShort; }

 private:
  // The number of warps is not known here: 31 has no small divisor in common with it.
  bool starved(const Runnable& warp) const { return warp.warp == (seed_ * 31 + warp.cta) % 8; }
};

class DelayCta final : public Base {
 public:
  using Base::Base;
  std::vector<std::uint32_t> cta_order(std::uint32_t grid, std::uint32_t ctas) override {
    victim_[grid] = static_cast<std::uint32_t>(seed_ % ctas);
    return identity(ctas);
  }
  void after_atomic(std::uint32_t grid, std::uint32_t cta, std::uint32_t) override {
    if (victim_[grid] == cta) delayed_[grid] = true;
  }

 protected:
  bool before(const Runnable& a, const Runnable& b) override {
    if (late(a) != late(b)) return late(b);
    return round_robin(a, b);
  }
  std::uint32_t turn() override { return kShort; }

 private:
  bool late(const Runnable& warp) { return delayed_[warp.grid] && victim_[warp.grid] == warp.cta; }
  std::map<std::uint32_t, std::uint32_t> victim_;
  std::map<std::uint32_t, bool> delayed_;
};

class LastCta final : public Base {
 public:
  using Base::Base;
  std::vector<std::uint32_t> cta_order(std::uint32_t grid, std::uint32_t ctas) override {
    std::vector<std::uint32_t> order = shuffled(ctas, random_);
    std::vector<std::uint32_t>& rank = rank_[grid];
    rank.resize(ctas);
    for (std::uint32_t i = 0; i < ctas; ++i) rank[order[i]] = i;
    return order;
  }

 protected:
  bool before(const Runnable& a, const Runnable& b) override {
    const std::uint32_t ra = rank_[a.grid][a.cta], rb = rank_[b.grid][b.cta];
    return std::tuple(a.grid, ra, a.warp) < std::tuple(b.grid, rb, b.warp);
  }

 private:
  std::map<std::uint32_t, std::vector<std::uint32_t>> rank_;
};

class LateProducer final : public Base {
 public:
  using Base::Base;

 protected:
  bool before(const Runnable& a, const Runnable& b) override {
    if (a.grid != b.grid) return a.grid > b.grid;
    return key_of(a) < key_of(b);
  }
  // A dependent starts between turns: a producer must not end in the turn in which it lets it.
  std::uint32_t turn() override { return kShort; }
};

}  // namespace

std::unique_ptr<Schedule> make_schedule(const ScheduleSpec& spec) {
  switch (spec.kind) {
    case ScheduleKind::in_order:
      return std::make_unique<InOrder>(spec.seed);
    case ScheduleKind::round_robin:
      return std::make_unique<RoundRobin>(spec.seed);
    case ScheduleKind::random:
      return std::make_unique<RandomOrder>(spec.seed);
    case ScheduleKind::starve_warp:
      return std::make_unique<StarveWarp>(spec.seed);
    case ScheduleKind::delay_cta:
      return std::make_unique<DelayCta>(spec.seed);
    case ScheduleKind::last_cta:
      return std::make_unique<LastCta>(spec.seed);
    case ScheduleKind::late_producer:
      return std::make_unique<LateProducer>(spec.seed);
    case ScheduleKind::stray_copies:
      return std::make_unique<StrayCopies>(spec.seed);
  }
  return nullptr;
}

}  // namespace xqacheck::ptx
