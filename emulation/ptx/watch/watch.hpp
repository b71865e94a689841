// Tells every access to a few bytes: who, where in the source, and what was there before and after. Stands between the
// machine and the checks as a monitor of its own.
//
//   watch shared + 0, 4 bytes: cta 1 warp 4 lanes 0x0000000f write mha.cuh:97 < mha.cu:2779 (ptx line 5388): 01000000
//   -> 00000000
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "emulation/ptx/check/monitor.hpp"

namespace xqacheck::ptx {

class Machine;

// "[ctaN:]NAME+OFFSET:BYTES": the shared memory of each CTA (of one), or a buffer by name.
struct WatchRange {
  static constexpr std::uint32_t kEveryCta = ~0u;
  std::string memory;  // "shared" or the name of an allocation
  std::uint64_t offset = 0, bytes = 4;
  std::uint32_t cta = kEveryCta;  // shared: whose memory; buffers: whose accesses
};
// False, with the reason in `why`.
bool parse_watch(const std::string& text, WatchRange& range, std::string& why);
std::string to_text(const WatchRange& range);

class Watch final : public Monitor {
 public:
  using Say = std::function<void(const std::string&)>;
  // `inner`: the checks. One line of `say` an access.
  Watch(const Machine& machine, Monitor& inner, std::vector<WatchRange> ranges, Say say);
  ~Watch() override;
  // What the last access did is known only when the next thing happens, or here.
  void flush();
  // Throws PtxError for a range that no memory so far has held: a name that does not exist, an offset behind the end.
  void check_ranges() const;

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
  // One place that is watched: the bytes of a range in one CTA or buffer.
  struct Spot {
    std::size_t range = 0;
    std::uint32_t grid = 0, cta = 0;  // of shared memory
    std::uint64_t base = 0;           // address of a buffer's byte; 0: shared
    std::vector<std::byte> bytes;     // as last seen
  };
  struct GridPlaces {
    std::vector<Place> places;
    std::vector<std::string> files;
    std::vector<InlinedAt> sites;
    std::uint32_t shared_bytes = 0;
  };

  const std::byte* now(const Spot& spot) const;
  void touched(const WarpAt& at, Space space, const std::uint64_t* addresses, std::uint32_t bytes, const char* what);
  void see(Spot& spot, const std::string& who, bool always);
  std::string who(const WarpAt& at, const char* what, LaneMask lanes) const;

  const Machine& machine_;
  Monitor& inner_;
  std::vector<WatchRange> ranges_;
  Say say_;
  std::vector<Spot> spots_;
  std::vector<bool> found_;  // by range: some memory holds it
  std::map<std::uint32_t, GridPlaces> grids_;
  struct Pending {
    std::size_t spot;
    std::string who;
  };
  std::vector<Pending> pending_;  // told when its effect is there
};

}  // namespace xqacheck::ptx
