// Splits [0, count) over all cores. No OpenMP: the probe should run where only the C++ library is installed.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace xqacheck::arith::probe {

// body(begin, end) on chunks of at most `chunk`, in any order.
template <class Body>
void parallel_chunks(size_t count, size_t chunk, Body body) {
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (;;) {
      const size_t begin = next.fetch_add(chunk);
      if (begin >= count) return;
      body(begin, std::min(begin + chunk, count));
    }
  };
  const size_t chunks = (count + chunk - 1) / chunk;
  const size_t cores = std::max<size_t>(1, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(cores, chunks); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace xqacheck::arith::probe
