// What the PTX machine tells its checks: one call per warp instruction that touches memory or synchronises, before the
// instruction takes effect (unless a call says "after").
//
// The machine holds a `Monitor*`; null means no checks and must cost one predictable branch. Calls come from one thread
// at a time. The memory of the machine is sequentially consistent (a load sees the last store in the order of calls),
// so the order of the calls is the whole history: the checks find races from it by happens-before, not by luck.
//
// Addresses: global, const, param: device addresses. shared: bytes from the begin of the CTA's shared window; memory of
// another CTA of the cluster: (its linear index + 1) << 32 | bytes. local: bytes from the begin of the lane's window.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emulation/ptx/check/finding.hpp"

namespace xqacheck::ptx {

using LaneMask = std::uint32_t;  // bit i: lane i

enum class Space : std::uint8_t { global, shared, local, param, constant };
enum class AccessKind : std::uint8_t { load, store, atomic, reduction };  // atomic returns a value, reduction does not
enum class Order : std::uint8_t { weak, relaxed, acquire, release, acq_rel };  // ld.volatile, st.volatile: relaxed
enum class Scope : std::uint8_t { cta, cluster, gpu, sys };

// Begin of every event: who does what.
struct WarpAt {
  std::uint32_t grid = 0;         // GridBegin::number
  std::uint32_t cta = 0;          // x + grid.x * (y + grid.y * z)
  std::uint32_t warp = 0;         // in its CTA
  std::uint32_t instruction = 0;  // index into GridBegin::places
  LaneMask active = 0;            // lanes that execute it (predicate true)
};

// One load, store or atomic of a warp. ldmatrix and stmatrix: `active` are the lanes whose addresses count (0-7 for x1,
// 0-15 for x2, all for x4), bytes = 16. Vector forms: bytes of the whole vector.
struct Access {
  WarpAt at;
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  Order order = Order::weak;
  Scope scope = Scope::cta;
  std::uint32_t bytes = 0;                   // per lane: 1, 2, 4, 8, 16 or 32
  std::uint32_t alignment = 0;               // required; 0: equal to bytes
  const std::uint64_t* addresses = nullptr;  // 32 entries; those of inactive lanes are not looked at
};

// One asynchronous copy per active lane. The bytes of the source beyond source_bytes are zeros (cp.async's src-size).
enum class CopyEngine : std::uint8_t { cp_async, bulk, tensor };
struct AsyncCopy {
  WarpAt at;
  CopyEngine engine = CopyEngine::cp_async;
  Space to_space = Space::shared, from_space = Space::global;
  std::uint32_t bytes = 0;                      // per lane, written
  const std::uint32_t* source_bytes = nullptr;  // 32 entries, read; null: equal to bytes
  const std::uint64_t* to = nullptr;            // 32 entries
  const std::uint64_t* from = nullptr;          // 32 entries
  std::uint64_t mbarrier = 0;                   // bulk, tensor to shared: whose complete_tx says that it is done
};

// bar, barrier. One event when the warp arrives; Monitor::barrier_completed when the last one has.
enum class BarrierKind : std::uint8_t { sync, arrive, reduce };
struct BarrierArrive {
  WarpAt at;
  BarrierKind kind = BarrierKind::sync;
  bool aligned = true;      // bar.*, barrier.*.aligned: all lanes of the warp must execute it together
  std::uint32_t id = 0;     // 0 … 15
  std::uint32_t count = 0;  // threads; 0: all of the CTA
};

enum class MbarrierKind : std::uint8_t {
  init,
  inval,
  arrive,
  arrive_drop,
  expect_tx,
  complete_tx,
  test_wait,
  try_wait
};
// One mbarrier instruction on one object; a warp whose lanes name several objects sends one event each.
struct Mbarrier {
  WarpAt at;
  MbarrierKind kind = MbarrierKind::init;
  Order order = Order::release;
  Scope scope = Scope::cta;
  std::uint32_t owner = 0;    // CTA in whose shared memory the object lies
  std::uint64_t address = 0;  // shared address there
  std::uint32_t count = 0;    // init: expected arrivals; arrive: arrivals per lane; expect_tx, complete_tx: bytes
  std::uint64_t phase = 0;    // phases completed before the event
  bool completes = false;     // the event completes the current phase
  bool by_parity = false;     // waits: .parity forms
  std::uint64_t wanted = 0;   // waits: parity (0 or 1), or the number of the phase that the state token stands for
  bool succeeded = false;     // waits: returned true
};

// fence.proxy.async orders generic and async-proxy accesses (TMA, wgmma), fence.mbarrier_init publishes an init.
enum class FenceKind : std::uint8_t { acq_rel, sc, proxy_async, mbarrier_init };

struct Extent {
  std::uint32_t x = 1, y = 1, z = 1;
  // As large as a number can be where the product is larger.
  std::uint64_t product() const {
    const std::uint64_t plane = std::uint64_t{x} * y;
    return z != 0 && plane > UINT64_MAX / z ? UINT64_MAX : plane * z;
  }
};

struct GridBegin {
  std::uint32_t number = 0;  // 1, 2, … in launch order on one device
  std::string kernel;
  Extent grid, block, cluster;
  std::uint32_t shared_bytes = 0;       // static and dynamic, per CTA
  std::uint32_t local_bytes = 0;        // per lane
  bool programmatic_dependent = false;  // may overlap the preceding grid
  std::span<const Place> places;        // by instruction; lives until grid_end
  std::span<const std::string> files;   // of the places; lives until grid_end
  std::span<const InlinedAt> sites;     // of the places; lives until grid_end
};

// Memory that may be accessed. What lies in no allocation is out of bounds.
struct Allocation {
  std::string name;  // "q", "scratch", a variable of the module
  std::uint64_t base = 0, size = 0;
  bool read_only = false;
  bool initialised = false;  // all bytes; parts: Monitor::host_wrote
};

enum class Blocked : std::uint8_t { running, barrier, mbarrier, copies, grid_dependency, warp_sync, exited };
struct WarpState {
  WarpAt at;  // the instruction where it stands; active: the lanes that wait
  Blocked blocked = Blocked::running;
  std::uint64_t detail = 0;  // barrier id, mbarrier address or groups that may stay
};

inline constexpr std::uint32_t kAllCopies = ~0u;  // cp.async.wait_all: copies of no group too

class Monitor {
 public:
  virtual ~Monitor() = default;

  // Memory of the device. Addresses of host copies are checked like those of kernels.
  virtual void allocated(const Allocation& allocation) = 0;
  virtual void freed(std::uint64_t base) = 0;
  virtual void host_wrote(std::uint64_t base, std::uint64_t bytes) = 0;

  virtual void grid_begin(const GridBegin& grid) = 0;
  virtual void grid_end(std::uint32_t grid) = 0;  // all its CTAs have ended
  virtual void cta_begin(std::uint32_t grid, std::uint32_t cta) = 0;
  virtual void cta_end(std::uint32_t grid, std::uint32_t cta) = 0;
  virtual void lanes_exited(const WarpAt& at) = 0;

  // Returns the lanes whose access is legal; the machine leaves the others out (a load gives 0, a store is dropped).
  virtual LaneMask access(const Access& access) = 0;
  virtual LaneMask async_copy(const AsyncCopy& copy) = 0;
  virtual void copy_commit(const WarpAt& at) = 0;
  virtual void copy_wait(const WarpAt& at, std::uint32_t groups_left) = 0;  // after; wait_all: kAllCopies
  // cp.async.mbarrier.arrive, when it is executed. The arrival itself follows as an event of the mbarrier, relaxed,
  // when the copies have landed.
  virtual void copy_arrive(const WarpAt& at, std::uint32_t owner, std::uint64_t mbarrier) = 0;

  virtual void barrier_arrive(const BarrierArrive& arrive) = 0;
  virtual void barrier_completed(std::uint32_t grid, std::uint32_t cta, std::uint32_t id) = 0;
  // All members have arrived: bar.warp.sync (after it), and before the collective instructions that are .sync.aligned
  // (ldmatrix, stmatrix, movmatrix, mma). PTX promises an order of memory only for the first; the others are counted as
  // well because compiled kernels rely on it between cp.async.wait_group and ldmatrix, and hardware gives it.
  virtual void warp_sync(const WarpAt& at, LaneMask members) = 0;
  virtual void mbarrier(const Mbarrier& event) = 0;  // waits: after, when the result is known
  virtual void fence(const WarpAt& at, FenceKind kind, Scope scope) = 0;

  virtual void launch_dependents(const WarpAt& at) = 0;
  virtual void dependency_wait(const WarpAt& at) = 0;  // after griddepcontrol.wait

  // No warp can go on (deadlock), or none has made progress within the machine's budget (livelock). All warps of all
  // running grids.
  virtual void stuck(std::span<const WarpState> warps, bool livelock) = 0;
};

}  // namespace xqacheck::ptx
