// Asynchronous copies of one warp (cp.async): issued now, performed at once or when a wait needs them, as the schedule
// says. Groups are counted by lane, as PTX does.
#pragma once

#include <cstdint>
#include <vector>

namespace xqacheck::ptx {

class Cta;

class CopyQueue {
 public:
  struct Copy {
    unsigned lane = 0;
    std::uint32_t group = 0;
    std::uint64_t to = 0, from = 0;  // shared and global address
    std::uint32_t bytes = 0, source_bytes = 0;
    std::uint64_t due = ~std::uint64_t{0};  // turn of the machine after which it lands by itself
  };
  struct Arrival {
    unsigned lane = 0;
    std::uint64_t mbarrier = 0;  // shared address
    std::uint32_t instruction = 0;
  };

  void issue(Cta& cta, Copy copy, std::uint32_t delay);  // Schedule::copy_delay
  void commit(unsigned lane) { ++committed_[lane]; }
  // All but the newest `left` groups of the lane are performed; with `all`, uncommitted copies too.
  void wait(Cta& cta, unsigned lane, std::uint32_t left, bool all);
  // Arrives when the lane's copies so far have been performed: at `settle`.
  void arrive_later(const Arrival& arrival) { arrivals_.push_back(arrival); }
  bool has_arrivals() const { return !arrivals_.empty(); }
  // Performs what arrivals wait for and hands them over.
  std::vector<Arrival> settle(Cta& cta);
  void land_due(Cta& cta, std::uint64_t turn);
  void finish(Cta& cta);  // everything, at the end of the CTA

 private:
  void perform(Cta& cta, const Copy& copy);
  template <class Keep>
  void perform_unless(Cta& cta, Keep keep);

  std::vector<Copy> copies_;
  std::vector<Arrival> arrivals_;
  std::uint64_t first_due_ = ~std::uint64_t{0};
  std::uint32_t committed_[32] = {};
};

}  // namespace xqacheck::ptx
