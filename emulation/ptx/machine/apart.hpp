// CTAs on host threads: each runs alone as far as no other CTA can tell, and stops before the first instruction through
// which CTAs meet. What is left of them runs one after the other, under the schedule.
//
// Sound for kernels without races: what a CTA reads before it has synchronised with another cannot depend on the other.
// The result does not depend on the number of threads. With checks on, everything runs in one thread: their history of
// an access is the order of all accesses.
#pragma once

#include <cstdint>
#include <vector>

#include "emulation/ptx/machine/grid.hpp"

namespace xqacheck::ptx {

// By instruction, 1 where CTAs meet or can tell the order of things: atomics, and loads and stores stronger than weak
// outside shared memory; clocks; the end of a programmatic predecessor; traps, so that they come in order.
std::vector<std::uint8_t> meeting_places(const Program& program);

// Runs the CTAs of the grid that have not run yet; `threads` at least 1. Returns the instructions of warps that ran.
// Throws what the first CTA (in order of start) throws.
std::uint64_t run_apart(Grid& grid, const std::vector<std::uint8_t>& meeting, std::uint32_t threads);

}  // namespace xqacheck::ptx
