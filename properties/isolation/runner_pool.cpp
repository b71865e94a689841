#include "properties/isolation/runner_pool.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

namespace xqacheck::properties {
namespace {

class FirstError {
 public:
  void keep(std::size_t item, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (item >= lowest_) return;
    lowest_ = item;
    error_ = std::move(error);
  }
  // Items below the failed one still run: one of them may fail too, and the lowest is what is reported.
  bool past(std::size_t item) const { return item > lowest_; }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
  std::atomic<std::size_t> lowest_{std::numeric_limits<std::size_t>::max()};
};

}  // namespace

RunnerPool::RunnerPool(std::size_t jobs, const Factory& factory) {
  for (std::size_t i = 0; i < std::max<std::size_t>(jobs, 1); ++i) runners_.push_back(factory());
}

void RunnerPool::for_each(std::size_t count, const std::function<void(std::size_t, Runner&)>& body) {
  FirstError first;
  const auto work = [&](std::size_t job) {
    for (std::size_t item = job; item < count && !first.past(item); item += jobs()) {
      try {
        body(item, *runners_[job]);
      } catch (...) {
        first.keep(item, std::current_exception());
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t job = 1; job < std::min(jobs(), count); ++job) threads.emplace_back(work, job);
    work(0);
  }
  first.rethrow();
}

}  // namespace xqacheck::properties
