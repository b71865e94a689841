// Puts a problem into the shared memory: plans a slot for every tensor, writes contents, canaries and fills, and the
// problem struct as the kernel will see it, with the worker's addresses.
#pragma once

#include "properties/isolation/arena.hpp"
#include "properties/isolation/pattern.hpp"
#include "properties/isolation/protocol.hpp"
#include "properties/runner.hpp"
#include "reference/problem.hpp"

namespace xqacheck::properties::isolation {

struct PlaceInSlot {
  std::uint32_t slot = 0;
  std::uint64_t offset = 0;  // from the slot's start
};

struct CaseLayout {
  CaseRequest request;
  std::vector<WrittenRange> written;  // of the slots that hold a sparse tensor
  PlaceInSlot k, v;         // first bytes of the cache tensors
  xqacheck_problem view{};  // as the kernel sees it: pointers are the worker's
};

// `base` is the address of slot 0 in the worker. Throws EnvironmentError when a tensor does not fit, std::logic_error
// when the problem points outside its own tensors.
CaseLayout lay_out(const reference::Problem& problem, const RunOptions& options, std::uint64_t base, Arena& arena);

// The fill of the output before the run: what stride gaps must still hold afterwards.
Pattern output_pattern(const RunOptions& options, std::uint32_t slot, std::uint32_t dtype);

}  // namespace xqacheck::properties::isolation
