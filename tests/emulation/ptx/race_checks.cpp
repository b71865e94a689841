// Happens-before: what orders two accesses, and what does not.
#include "tests/catch.hpp"
#include "tests/emulation/ptx/events.hpp"

namespace {

using namespace xqacheck::ptx;
using namespace xqacheck::ptx::testing;
using Kinds = std::vector<FindingKind>;
const Kinds kRace{FindingKind::race};

TEST_CASE("warps of a CTA: a barrier orders, nothing else does") {
  Events e;
  e.store(e.at(0, 0, 1), 0);
  e.load(e.at(0, 1, 2), 0);
  REQUIRE(e.kinds() == kRace);
  CHECK(e.checker.findings()[0].source_line == 12);
  CHECK(e.checker.findings()[0].other_line == 11);
  Events f;
  f.store(f.at(0, 0, 1), 0);
  f.barrier(0, 2);
  f.load(f.at(0, 1, 3), 0);
  f.barrier(0, 4);
  f.store(f.at(0, 1, 5), 0);
  CHECK(f.only() == "");
}

TEST_CASE("a write after unordered reads races with each of them") {
  Events e(1, 128);
  e.store(e.at(0, 0, 1), 0);
  e.barrier(0, 2);
  e.load(e.at(0, 0, 3), 0);
  e.load(e.at(0, 1, 4), 0);
  e.load(e.at(0, 2, 5), 0);
  CHECK(e.only() == "");
  e.store(e.at(0, 3, 6), 0);
  CHECK(e.kinds() == Kinds{FindingKind::race, FindingKind::race, FindingKind::race});
}

TEST_CASE("lanes of a warp: bar.warp.sync orders them, running together does not") {
  Events e;
  e.store(e.at(0, 0, 1), 0);
  e.load(e.at(0, 0, 2), 4, 4);  // lane i reads what lane i + 1 wrote
  CHECK(e.kinds()[0] == FindingKind::race);
  Events f;
  f.store(f.at(0, 0, 1), 0);
  f.checker.warp_sync(f.at(0, 0, 2), kAll);
  f.load(f.at(0, 0, 3, kAll >> 1), 4, 4);
  CHECK(f.only() == "");
  Events g;  // its own word needs nothing
  g.store(g.at(0, 0, 1), 0);
  g.load(g.at(0, 0, 2), 0);
  g.store(g.at(0, 0, 3), 0);
  CHECK(g.only() == "");
}

TEST_CASE("two lanes of one store write one word") {
  Events e;
  e.store(e.at(0, 0, 1, 3), 0, 0);
  CHECK(e.kinds() == kRace);
}

TEST_CASE("bytes of one word are told apart") {
  Events e;
  e.access(e.at(0, 0, 1, 1), Space::shared, AccessKind::store, 0, 1);
  e.access(e.at(0, 1, 2, 1), Space::shared, AccessKind::store, 1, 1);
  CHECK(e.only() == "");
  e.access(e.at(0, 1, 3, 1), Space::shared, AccessKind::store, 0, 1);
  CHECK(e.kinds() == kRace);
}

TEST_CASE("a semaphore with release and acquire orders across CTAs, a relaxed one does not") {
  const auto run = [](Order order, bool fences, Scope scope) {
    Events e(2, 32);
    e.store(e.at(0, 0, 1), kBase, 4, Space::global);
    e.checker.warp_sync(e.at(0, 0, 2), kAll);
    if (fences) e.checker.fence(e.at(0, 0, 3, 1), FenceKind::acq_rel, scope);
    e.access(e.at(0, 0, 4, 1), Space::global, AccessKind::atomic, kBase + 1024, 4, 0, order, scope);
    e.access(e.at(1, 0, 4, 1), Space::global, AccessKind::atomic, kBase + 1024, 4, 0, order, scope);
    if (fences) e.checker.fence(e.at(1, 0, 5, 1), FenceKind::acq_rel, scope);
    e.checker.warp_sync(e.at(1, 0, 6), kAll);
    e.load(e.at(1, 0, 7), kBase, 4, Space::global);
    return e.kinds();
  };
  CHECK(run(Order::acq_rel, false, Scope::gpu).empty());
  CHECK(run(Order::relaxed, true, Scope::gpu).empty());
  CHECK(run(Order::relaxed, false, Scope::gpu) == kRace);
  CHECK(run(Order::acq_rel, false, Scope::cta) ==
        Kinds{FindingKind::race, FindingKind::race});  // the atomics themselves too
  CHECK(run(Order::relaxed, true, Scope::cta).size() == 2);
}

TEST_CASE("what one lane acquires, the others know after the warp synchronises") {
  const auto run = [](bool sync) {
    Events e(2, 32);
    e.store(e.at(0, 0, 1), kBase, 4, Space::global);
    e.checker.warp_sync(e.at(0, 0, 2), kAll);
    e.access(e.at(0, 0, 3, 1), Space::global, AccessKind::store, kBase + 1024, 4, 0, Order::release);
    e.access(e.at(1, 0, 4, 1), Space::global, AccessKind::load, kBase + 1024, 4, 0, Order::acquire);
    if (sync) e.checker.warp_sync(e.at(1, 0, 5), kAll);
    e.load(e.at(1, 0, 6), kBase, 4, Space::global);
    return e.kinds();
  };
  CHECK(run(true).empty());
  CHECK(run(false) == kRace);
}

TEST_CASE("what other lanes did is not released without a synchronisation of the warp") {
  Events e(2, 32);
  e.store(e.at(0, 0, 1), kBase, 4, Space::global);
  e.access(e.at(0, 0, 3, 1), Space::global, AccessKind::store, kBase + 1024, 4, 0, Order::release);
  e.access(e.at(1, 0, 4), Space::global, AccessKind::load, kBase + 1024, 4, 0, Order::acquire);
  e.load(e.at(1, 0, 5, 1), kBase, 4, Space::global);
  CHECK(e.only() == "");  // lane 0 released its own word
  e.load(e.at(1, 0, 6, 2), kBase, 4, Space::global);
  CHECK(e.kinds() == kRace);
}

TEST_CASE("atomics do not race with each other, plain accesses race with them") {
  Events e(2, 32);
  e.access(e.at(0, 0, 1, 1), Space::global, AccessKind::reduction, kBase);
  e.access(e.at(1, 0, 1, 1), Space::global, AccessKind::reduction, kBase);
  CHECK(e.only() == "");
  e.load(e.at(0, 0, 2, 1), kBase, 4, Space::global);
  CHECK(e.kinds() == kRace);
}

TEST_CASE("grids of one stream follow each other; a programmatic dependent must wait") {
  Events e(1, 32);
  e.store(e.at(0, 0, 1), kBase, 4, Space::global);
  e.end(1);
  e.launch();
  e.load(e.at(0, 0, 2), kBase, 4, Space::global);
  CHECK(e.only() == "");
  Events f(1, 32);
  f.store(f.at(0, 0, 1), kBase, 4, Space::global);
  f.launch(true);
  f.load(f.at(0, 0, 2, 1), kBase, 4, Space::global);
  CHECK(f.kinds() == kRace);
  Events g(1, 32);
  g.store(g.at(0, 0, 1), kBase, 4, Space::global);
  g.end(1);  // even when the producer has ended: nothing promised it
  g.launch(true);
  g.load(g.at(0, 0, 2, 1), kBase, 4, Space::global);
  CHECK(g.kinds() == kRace);
  Events h(1, 32);
  h.store(h.at(0, 0, 1), kBase, 4, Space::global);
  h.end(1);
  h.launch(true);
  h.checker.dependency_wait(h.at(0, 0, 2));
  h.load(h.at(0, 0, 3), kBase, 4, Space::global);
  CHECK(h.only() == "");
}

TEST_CASE("numbers of warps that run out start over, between grids only") {
  Events e(1, 32);
  e.store(e.at(0, 0, 1), kBase, 4, Space::global);
  e.end(1);
  GridBegin huge;
  huge.number = 2;
  huge.kernel = "huge";
  huge.grid.x = 1u << 20;
  huge.block.x = 1024;
  e.checker.grid_begin(huge);
  e.checker.grid_end(2);
  huge.number = 3;
  e.checker.grid_begin(huge);
  CHECK_THROWS_AS(e.checker.grid_begin(huge), std::length_error);
  e.checker.grid_end(3);
  e.grid = 3;
  e.launch();
  e.load(e.at(0, 0, 2), kBase, 4, Space::global);
  CHECK(e.only() == "");
}

TEST_CASE("an mbarrier orders what arrived before what waited") {
  const auto run = [](bool wait) {
    Events e;
    e.checker.mbarrier(e.mbarrier(e.at(0, 0, 1, 1), MbarrierKind::init, 1024, 32, 0));
    e.barrier(0, 2);
    e.store(e.at(0, 0, 3), 0);
    e.checker.mbarrier(e.mbarrier(e.at(0, 0, 4), MbarrierKind::arrive, 1024, 1, 0, true));
    if (wait) e.checker.mbarrier(e.mbarrier(e.at(0, 1, 5), MbarrierKind::try_wait, 1024, 0, 1));
    e.load(e.at(0, 1, 6), 0);
    return e.kinds();
  };
  CHECK(run(true).empty());
  CHECK(run(false) == kRace);
}

}  // namespace
