// Order between CTAs: what release and acquire patterns publish, and what fence.sc does beyond them. Each case is a
// rule of the memory consistency model of the PTX ISA, named by the heading it stands under.
#include "tests/catch.hpp"
#include "tests/emulation/ptx/events.hpp"

namespace {

using namespace xqacheck::ptx;
using namespace xqacheck::ptx::testing;
using Kinds = std::vector<FindingKind>;
const Kinds kRace{FindingKind::race};
constexpr std::uint64_t kFlag = kBase + 1024;

// Two CTAs of two warps. Warp 1 of CTA 0 writes; warp 1 of CTA 1 reads; lane 0 of each warp 0 handles the flag.
struct Handover : Events {
  Handover() : Events(2, 64) {}
  void write() { store(at(0, 1, 1), kBase, 4, Space::global); }
  void read() { load(at(1, 1, 9), kBase, 4, Space::global); }
  void fences(std::uint32_t cta, std::uint32_t instruction, FenceKind kind, Scope scope = Scope::gpu) {
    for (std::uint32_t warp = 0; warp < 2; ++warp) checker.fence(at(cta, warp, instruction), kind, scope);
  }
  void flag(std::uint32_t cta, std::uint32_t instruction, AccessKind kind, Order order, LaneMask lanes = 1) {
    access(at(cta, 0, instruction, lanes), Space::global, kind, kFlag, 4, 0, order);
  }
};

TEST_CASE("base causality order: a barrier, then a release by one thread publishes what the others did") {
  const auto run = [](bool before, bool after) {
    Handover h;
    h.write();
    if (before) h.barrier(0, 2);
    h.flag(0, 3, AccessKind::atomic, Order::acq_rel);
    h.flag(1, 4, AccessKind::atomic, Order::acq_rel);
    if (after) h.barrier(1, 5);
    h.read();
    return h.kinds();
  };
  CHECK(run(true, true).empty());
  CHECK(run(false, true) == kRace);
  CHECK(run(true, false) == kRace);
}

TEST_CASE("release pattern: a fence publishes what lies before it, not what a barrier brings before the write") {
  const auto run = [](bool fence_first) {
    Handover h;
    h.write();
    if (fence_first) h.fences(0, 2, FenceKind::acq_rel);
    h.barrier(0, 3);
    if (!fence_first) h.checker.fence(h.at(0, 0, 4, 1), FenceKind::acq_rel, Scope::gpu);
    h.flag(0, 5, AccessKind::store, Order::relaxed);
    h.flag(1, 6, AccessKind::load, Order::acquire);
    h.barrier(1, 7);
    h.read();
    return h.kinds();
  };
  CHECK(run(false).empty());
  CHECK(run(true) == kRace);
}

TEST_CASE("Fence-SC order: every thread's fence.sc before the barrier serves, if the reader has one too") {
  const auto run = [](FenceKind writer, FenceKind reader, Scope scope, bool told) {
    Handover h;
    h.write();
    h.fences(0, 2, writer, scope);
    h.barrier(0, 3);
    h.flag(0, 4, AccessKind::atomic, Order::relaxed);
    if (told) h.flag(1, 5, AccessKind::atomic, Order::relaxed);
    h.barrier(1, 6);
    h.fences(1, 7, reader, scope);
    h.read();
    return h.kinds();
  };
  CHECK(run(FenceKind::sc, FenceKind::sc, Scope::gpu, true).empty());
  CHECK(run(FenceKind::sc, FenceKind::acq_rel, Scope::gpu, true) == kRace);
  CHECK(run(FenceKind::acq_rel, FenceKind::sc, Scope::gpu, true) == kRace);
  CHECK(run(FenceKind::sc, FenceKind::sc, Scope::cta, true) == kRace);
  CHECK(run(FenceKind::sc, FenceKind::sc, Scope::gpu, false) == kRace);  // that it came later by luck is no order
}

TEST_CASE(
    "observation order: atomics continue a release, a store of another thread ends it, one of the same does not") {
  const auto run = [](AccessKind kind, std::uint32_t by_cta, std::uint32_t by_lane) {
    Events e(3, 32);
    e.store(e.at(0, 0, 1, 1), kBase, 4, Space::global);
    e.access(e.at(0, 0, 2, 1), Space::global, AccessKind::store, kFlag, 4, 0, Order::release);
    e.access(e.at(by_cta, 0, 3, 1u << by_lane), Space::global, kind, kFlag, 4, 0, Order::relaxed);
    e.access(e.at(2, 0, 4, 1), Space::global, AccessKind::load, kFlag, 4, 0, Order::acquire);
    e.load(e.at(2, 0, 5, 1), kBase, 4, Space::global);
    return e.kinds();
  };
  CHECK(run(AccessKind::atomic, 1, 0).empty());
  CHECK(run(AccessKind::reduction, 1, 0).empty());
  CHECK(run(AccessKind::store, 1, 0) == kRace);
  CHECK(run(AccessKind::store, 0, 1) == kRace);
  CHECK(run(AccessKind::store, 0, 0).empty());
}

TEST_CASE("acquire pattern: the read of a reduction is part of none") {
  const auto run = [](AccessKind kind, Order order, bool fence) {
    Events e(2, 32);
    e.store(e.at(0, 0, 1, 1), kBase, 4, Space::global);
    e.access(e.at(0, 0, 2, 1), Space::global, AccessKind::atomic, kFlag, 4, 0, Order::release);
    e.access(e.at(1, 0, 3, 1), Space::global, kind, kFlag, 4, 0, order);
    if (fence) e.checker.fence(e.at(1, 0, 4, 1), FenceKind::acq_rel, Scope::gpu);
    e.load(e.at(1, 0, 5, 1), kBase, 4, Space::global);
    return e.kinds();
  };
  CHECK(run(AccessKind::atomic, Order::acq_rel, false).empty());
  CHECK(run(AccessKind::reduction, Order::acq_rel, false) == kRace);
  CHECK(run(AccessKind::atomic, Order::relaxed, true).empty());
  CHECK(run(AccessKind::reduction, Order::relaxed, true) == kRace);
}

TEST_CASE("lanes that fence one after the other keep what each of them has published and seen") {
  Events e(2, 32);
  e.store(e.at(0, 0, 1, 1), kBase, 4, Space::global);
  e.checker.fence(e.at(0, 0, 2, 1), FenceKind::acq_rel, Scope::gpu);
  e.checker.fence(e.at(0, 0, 2, 2), FenceKind::acq_rel, Scope::gpu);
  e.access(e.at(0, 0, 3, 1), Space::global, AccessKind::store, kFlag, 4, 0, Order::relaxed);
  e.access(e.at(1, 0, 4, 1), Space::global, AccessKind::load, kFlag, 4, 0, Order::relaxed);
  e.checker.fence(e.at(1, 0, 5, 2), FenceKind::acq_rel, Scope::gpu);
  e.checker.fence(e.at(1, 0, 5, 1), FenceKind::acq_rel, Scope::gpu);
  e.load(e.at(1, 0, 6, 1), kBase, 4, Space::global);
  CHECK(e.only() == "");
}

}  // namespace
