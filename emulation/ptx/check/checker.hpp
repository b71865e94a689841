// The checks of the PTX machine: bounds, alignment, reads of bytes that nobody wrote, races, asynchronous copies,
// misuse of barriers, deadlock. doc/ptx-checks.md says what each means.
//
// Findings are collected, not thrown: the run goes on with the illegal lanes left out. Equal findings (kind,
// instruction, other instruction) are counted in one entry.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulation/ptx/check/allocations.hpp"
#include "emulation/ptx/check/monitor.hpp"
#include "emulation/ptx/check/state.hpp"

namespace xqacheck::ptx {

struct CheckOptions {
  bool races = true;
  bool uninitialised = true;
  std::size_t most_findings = 100;  // distinct ones; a broken kernel makes thousands
};

class Checker final : public Monitor {
 public:
  explicit Checker(CheckOptions options = {}) : options_(options) {}

  const std::vector<Finding>& findings() const { return findings_; }
  void set_case_line(std::string line) { case_line_ = std::move(line); }
  void clear_findings();
  // Of the allocation at `base`, only this part may be touched (the rest are canaries); freed(base) frees it.
  void narrow(std::uint64_t base, const Allocation& part);

  void allocated(const Allocation& allocation) override;
  void freed(std::uint64_t base) override;
  void host_wrote(std::uint64_t base, std::uint64_t bytes) override;
  void grid_begin(const GridBegin& grid) override;
  void grid_end(std::uint32_t grid) override;
  void cta_begin(std::uint32_t grid, std::uint32_t cta) override;
  void cta_end(std::uint32_t grid, std::uint32_t cta) override;
  void lanes_exited(const WarpAt& at) override;
  LaneMask access(const Access& access) override;
  LaneMask async_copy(const AsyncCopy& copy) override;
  void copy_commit(const WarpAt& at) override;
  void copy_wait(const WarpAt& at, std::uint32_t groups_left) override;
  void copy_arrive(const WarpAt& at, std::uint32_t owner, std::uint64_t mbarrier) override;
  void barrier_arrive(const BarrierArrive& arrive) override;
  void barrier_completed(std::uint32_t grid, std::uint32_t cta, std::uint32_t id) override;
  void warp_sync(const WarpAt& at, LaneMask members) override;
  void mbarrier(const Mbarrier& event) override;
  void fence(const WarpAt& at, FenceKind kind, Scope scope) override;
  void launch_dependents(const WarpAt& at) override;
  void dependency_wait(const WarpAt& at) override;
  void stuck(std::span<const WarpState> warps, bool livelock) override;

 private:
  // Who touches memory, for the length of one event.
  struct Toucher {
    GridCheck* grid;
    CtaCheck* cta;
    WarpCheck* warp;
    const WarpAt* at;
    std::uint32_t lane;
    Strength strength;
  };
  // A place in memory, resolved.
  struct Target {
    Shadow* shadow = nullptr;
    Written* written = nullptr;
    std::uint64_t offset = 0;  // in shadow and written
    std::uint64_t address = 0;
    const Allocation* allocation = nullptr;  // null: shared or local
    Space space = Space::global;
  };

  void start_over(std::uint64_t units);
  GridCheck& grid_of(std::uint32_t number);
  GridCheck& grid_of_unit(Unit unit);
  CtaCheck& cta_of(GridCheck& grid, std::uint32_t cta);
  WarpCheck& warp_of(const WarpAt& at) { return cta_of(grid_of(at.grid), at.cta).warps[at.warp]; }

  // memory.cpp
  bool resolve(const Toucher& who, Space space, std::uint64_t address, std::uint32_t bytes, bool write, Target& target);
  bool check_alignment(const Toucher& who, Space space, std::uint64_t address, std::uint32_t alignment);
  void read(const Toucher& who, const Target& target, std::uint32_t bytes);
  void write(const Toucher& who, const Target& target, std::uint32_t bytes);

  // races.cpp
  bool ordered(const Toucher& who, const Epoch& past);
  void read_word(const Toucher& who, const Target& target, Word& word);
  void write_word(const Toucher& who, const Target& target, Word& word);
  void remember_reader(const Toucher& who, Shadow& shadow, Word& word);
  bool may_meet(const Toucher& who, const Past& past);
  void report_race(const Toucher& who, const Target& target, const Past& past, const char* mine, const char* theirs);

  // synchronise.cpp
  Clock publish(WarpCheck& warp, LaneMask lanes);
  void acquire(WarpCheck& warp, LaneMask lanes, const Clock& clock);
  void synchronise_warp(WarpCheck& warp);
  void synchronise_location(const Toucher& who, const Access& access, std::uint64_t key);

  // copies.cpp
  void finish(Flight& flight, std::uint32_t id);
  void check_sources(const Toucher& who, const Target& target, std::uint32_t bytes);

  // report.cpp
  Finding& report(FindingKind kind, const GridCheck& grid, const WarpAt& at, std::uint32_t lane, std::string message,
                  std::uint32_t other_instruction = ~0u, const GridCheck* other_grid = nullptr);
  void report_at(FindingKind kind, const Toucher& who, const Target& target, std::string message,
                 const Past* other = nullptr);
  std::string describe(const Past& past);
  std::string place_text(const GridCheck& grid, std::uint32_t instruction) const;

  static std::uint64_t mbarrier_key(std::uint32_t grid, std::uint32_t owner, std::uint64_t address);
  MbarrierCheck& mbarrier_of(GridCheck& grid, std::uint32_t owner, std::uint64_t address);

  CheckOptions options_;
  std::string case_line_;
  std::vector<Finding> findings_;
  std::map<std::tuple<int, std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t>
      index_;         // kind, grid, instructions
  Finding overflow_;  // takes what exceeds most_findings

  Allocations allocations_;
  std::vector<std::unique_ptr<GridCheck>> grids_;  // by first unit
  GridCheck* last_grid_ = nullptr;
  Unit next_unit_ = 0;

  // What a strong access to a location takes along.
  struct Published {
    Clock released;  // for who acquires
    Clock sc;        // WarpCheck::sc of those who wrote
  };
  struct SyncLocation {
    Published device;           // published at gpu or sys scope
    Published cta;              // published at cta scope,
    Unit cta_first = ~Unit{0};  // by that CTA
    // Who released here last, and what: a later strong write of that lane to the location still publishes it.
    Epoch releaser;
    Clock released;
  };
  std::unordered_map<std::uint64_t, SyncLocation> locations_;

  std::vector<Flight> flights_{1};  // id 0 is none
  std::vector<std::uint32_t> free_flights_;
  std::vector<std::uint32_t> sources_;  // ids of flights whose source is global memory that somebody may write
};

}  // namespace xqacheck::ptx
