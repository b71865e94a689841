// A kernel without a machine: feeds events to the checks, instruction by instruction, as a test writes them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "emulation/ptx/check/checker.hpp"

namespace xqacheck::ptx::testing {

inline constexpr LaneMask kAll = ~LaneMask{0};
inline constexpr std::uint64_t kBase = 0x700000000000;  // of the first allocation

// Instruction i stands in line 100 + i of the PTX and line 10 + i of k.cu.
class Events {
 public:
  explicit Events(std::uint32_t ctas = 1, std::uint32_t threads = 64, std::uint32_t shared = 4096)
      : ctas_(ctas), threads_(threads), shared_(shared) {
    for (std::uint32_t i = 0; i < 64; ++i) places_.push_back({100 + i, 0, 10 + i});
    checker.allocated({"data", kBase, 4096, false, true});
    checker.allocated({"input", kBase + 0x10000, 1024, true, true});
    checker.allocated({"fresh", kBase + 0x20000, 1024, false, false});
    launch();
  }
  void launch(bool programmatic = false) {
    GridBegin begin;
    begin.number = ++grid;
    begin.kernel = "k";
    begin.grid.x = ctas_;
    begin.block.x = threads_;
    begin.shared_bytes = shared_;
    begin.local_bytes = 64;
    begin.programmatic_dependent = programmatic;
    begin.places = places_;
    begin.files = files_;
    checker.grid_begin(begin);
    for (std::uint32_t cta = 0; cta < ctas_; ++cta) checker.cta_begin(grid, cta);
  }
  void end(std::uint32_t number) {
    for (std::uint32_t cta = 0; cta < ctas_; ++cta) checker.cta_end(number, cta);
    checker.grid_end(number);
  }

  WarpAt at(std::uint32_t cta, std::uint32_t warp, std::uint32_t instruction, LaneMask active = kAll) const {
    return {grid, cta, warp, instruction, active};
  }
  // Lane i accesses begin + i * stride.
  LaneMask access(const WarpAt& where, Space space, AccessKind kind, std::uint64_t begin, std::uint32_t bytes = 4,
                  std::int64_t stride = 4, Order order = Order::weak, Scope scope = Scope::gpu) {
    std::array<std::uint64_t, 32> addresses;
    for (int i = 0; i < 32; ++i) addresses[i] = begin + static_cast<std::uint64_t>(i * stride);
    Access event;
    event.at = where;
    event.space = space;
    event.kind = kind;
    event.order = order;
    event.scope = scope;
    event.bytes = bytes;
    event.addresses = addresses.data();
    return checker.access(event);
  }
  LaneMask load(const WarpAt& where, std::uint64_t begin, std::int64_t stride = 4, Space space = Space::shared) {
    return access(where, space, AccessKind::load, begin, 4, stride);
  }
  LaneMask store(const WarpAt& where, std::uint64_t begin, std::int64_t stride = 4, Space space = Space::shared) {
    return access(where, space, AccessKind::store, begin, 4, stride);
  }
  void copy(const WarpAt& where, std::uint64_t to, std::uint64_t from, std::uint32_t bytes = 4) {
    std::array<std::uint64_t, 32> tos, froms;
    for (int i = 0; i < 32; ++i) tos[i] = to + std::uint64_t{bytes} * i, froms[i] = from + std::uint64_t{bytes} * i;
    AsyncCopy event;
    event.at = where;
    event.bytes = bytes;
    event.to = tos.data();
    event.from = froms.data();
    checker.async_copy(event);
  }
  // All warps of a CTA at bar.sync 0.
  void barrier(std::uint32_t cta, std::uint32_t instruction) {
    for (std::uint32_t warp = 0; warp < threads_ / 32; ++warp)
      checker.barrier_arrive({at(cta, warp, instruction), BarrierKind::sync, true, 0, 0});
    checker.barrier_completed(grid, cta, 0);
  }
  Mbarrier mbarrier(const WarpAt& where, MbarrierKind kind, std::uint64_t address, std::uint32_t count,
                    std::uint64_t phase, bool completes = false) {
    Mbarrier event;
    event.at = where;
    event.kind = kind;
    event.order = kind == MbarrierKind::test_wait || kind == MbarrierKind::try_wait ? Order::acquire : Order::release;
    event.owner = where.cta;
    event.address = address;
    event.count = count;
    event.phase = phase;
    event.completes = completes;
    event.succeeded = phase != 0;
    return event;
  }

  std::vector<FindingKind> kinds() const {
    std::vector<FindingKind> list;
    for (const Finding& finding : checker.findings()) list.push_back(finding.kind);
    return list;
  }
  // The one finding, as text; all of them where there is not exactly one.
  std::string only() const {
    std::string text;
    for (const Finding& finding : checker.findings()) text += to_text(finding) + "\n";
    return text;
  }

  Checker checker;
  std::uint32_t grid = 0;

 private:
  std::uint32_t ctas_, threads_, shared_;
  std::vector<Place> places_;
  std::vector<std::string> files_{"k.cu"};
};

}  // namespace xqacheck::ptx::testing
