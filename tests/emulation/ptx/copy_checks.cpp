// Asynchronous copies, barriers and mbarriers used wrongly, and the report of a standstill.
#include "tests/catch.hpp"
#include "tests/emulation/ptx/events.hpp"

namespace {

using namespace xqacheck::ptx;
using namespace xqacheck::ptx::testing;
using Kinds = std::vector<FindingKind>;

TEST_CASE("the destination of a copy is not there before its wait") {
  Events e;
  e.copy(e.at(0, 0, 1), 0, kBase);
  e.checker.copy_commit(e.at(0, 0, 2));
  e.load(e.at(0, 0, 3), 0);
  REQUIRE(e.kinds() == Kinds{FindingKind::read_in_flight});
  CHECK(e.checker.findings()[0].source_line == 13);
  CHECK(e.checker.findings()[0].other_line == 11);
  Events f;
  f.copy(f.at(0, 0, 1), 0, kBase);
  f.checker.copy_commit(f.at(0, 0, 2));
  f.checker.copy_wait(f.at(0, 0, 3), 0);
  f.load(f.at(0, 0, 4), 0);  // its own bytes
  CHECK(f.only() == "");
  f.load(f.at(0, 1, 5), 0);  // others need a barrier besides
  CHECK(f.kinds() == Kinds{FindingKind::read_in_flight});
}

TEST_CASE("wait_group leaves the newest groups in flight") {
  Events e;
  e.copy(e.at(0, 0, 1), 0, kBase);
  e.checker.copy_commit(e.at(0, 0, 2));
  e.copy(e.at(0, 0, 3), 128, kBase);
  e.checker.copy_commit(e.at(0, 0, 4));
  e.checker.copy_wait(e.at(0, 0, 5), 1);
  e.load(e.at(0, 0, 6), 0);
  CHECK(e.only() == "");
  e.load(e.at(0, 0, 7), 128);
  CHECK(e.kinds() == Kinds{FindingKind::read_in_flight});
}

TEST_CASE("an uncommitted copy is not waited for by wait_group") {
  Events e;
  e.copy(e.at(0, 0, 1), 0, kBase);
  e.checker.copy_wait(e.at(0, 0, 2), 0);
  e.load(e.at(0, 0, 3), 0);
  CHECK(e.kinds() == Kinds{FindingKind::read_in_flight});
  Events f;
  f.copy(f.at(0, 0, 1), 0, kBase);
  f.checker.copy_wait(f.at(0, 0, 2), kAllCopies);
  f.load(f.at(0, 0, 3), 0);
  CHECK(f.only() == "");
}

TEST_CASE("destination and source in flight are not overwritten") {
  Events e;
  e.copy(e.at(0, 0, 1), 0, kBase);
  e.store(e.at(0, 0, 2), 0);
  CHECK(e.kinds() == Kinds{FindingKind::overwrite_in_flight});
  Events f;
  f.copy(f.at(0, 0, 1), 0, kBase);
  f.store(f.at(0, 0, 2), kBase, 4, Space::global);
  REQUIRE(f.kinds() == Kinds{FindingKind::overwrite_in_flight});
  CHECK(f.only().find("write to the source of the asynchronous copy") != std::string::npos);
  Events g;
  g.copy(g.at(0, 0, 1), 0, kBase);
  g.checker.copy_commit(g.at(0, 0, 2));
  g.checker.copy_wait(g.at(0, 0, 3), 0);
  g.store(g.at(0, 0, 4), kBase, 4, Space::global);
  g.store(g.at(0, 0, 5), 0);
  CHECK(g.only() == "");
}

TEST_CASE("refilling a buffer that others still read is a race") {
  Events e;
  e.store(e.at(0, 0, 1), 0);
  e.barrier(0, 2);
  e.load(e.at(0, 1, 3), 0);
  e.copy(e.at(0, 0, 4), 0, kBase);
  CHECK(e.kinds() == Kinds{FindingKind::race});
}

TEST_CASE("copies told by an mbarrier are there for who waited at it") {
  const auto run = [](bool wait) {
    Events e;
    e.checker.mbarrier(e.mbarrier(e.at(0, 0, 1, 1), MbarrierKind::init, 1024, 32, 0));
    e.barrier(0, 2);
    e.copy(e.at(0, 0, 3), 0, kBase);
    e.checker.copy_arrive(e.at(0, 0, 4), 0, 1024);
    e.checker.mbarrier(e.mbarrier(e.at(0, 0, 4), MbarrierKind::arrive, 1024, 1, 0, true));
    if (wait) e.checker.mbarrier(e.mbarrier(e.at(0, 1, 5), MbarrierKind::try_wait, 1024, 0, 1));
    e.load(e.at(0, 1, 6), 0);
    return e.kinds();
  };
  CHECK(run(true).empty());
  CHECK(run(false) == Kinds{FindingKind::read_in_flight});
}

TEST_CASE("a warp that has exited takes part in a barrier without a count, not in one with") {
  const auto run = [](std::uint32_t count) {
    Events e(1, 96);
    e.store(e.at(0, 0, 1), 0);
    e.checker.lanes_exited(e.at(0, 0, 2));
    for (const std::uint32_t warp : {1u, 2u})
      e.checker.barrier_arrive({e.at(0, warp, 3), BarrierKind::sync, true, 0, count});
    e.checker.barrier_completed(e.grid, 0, 0);
    e.store(e.at(0, 1, 4), 0);
    return e.kinds();
  };
  CHECK(run(0).empty());
  CHECK(run(64) == Kinds{FindingKind::race});
}

TEST_CASE("an overwritten copy is found once") {
  Events e;
  e.copy(e.at(0, 0, 1), 0, kBase);
  e.store(e.at(0, 0, 2), 0);
  e.load(e.at(0, 0, 3), 0);
  CHECK(e.kinds() == Kinds{FindingKind::overwrite_in_flight});
}

TEST_CASE("barrier misuse") {
  Events e(1, 128);
  e.checker.barrier_arrive({e.at(0, 0, 1), BarrierKind::sync, true, 0, 100});
  CHECK(e.only().find("must be a multiple of 32") != std::string::npos);
  Events f(1, 128);
  f.checker.barrier_arrive({f.at(0, 0, 1, 0xFFFF), BarrierKind::sync, true, 0, 0});
  CHECK(f.only().find("executed by lanes 0x0000ffff only, of 0xffffffff that live") != std::string::npos);
  Events g(1, 128);
  g.checker.barrier_arrive({g.at(0, 0, 1), BarrierKind::sync, true, 1, 64});
  g.checker.barrier_arrive({g.at(0, 1, 2), BarrierKind::sync, true, 1, 96});
  CHECK(g.only().find("barrier 1 with 96 threads, while others wait at it with 64 (k.cu:11 (ptx line 101))") !=
        std::string::npos);
  Events h(1, 128);  // lanes that have exited need not come
  h.checker.lanes_exited(h.at(0, 0, 0, 0xFFFF0000));
  h.checker.barrier_arrive({h.at(0, 0, 1, 0xFFFF), BarrierKind::sync, true, 0, 0});
  CHECK(h.only() == "");
}

TEST_CASE("a barrier that is left incomplete is found when the CTA ends") {
  Events e(1, 96);
  e.checker.barrier_arrive({e.at(0, 0, 1), BarrierKind::arrive, true, 1, 96});
  CHECK(e.only() == "");
  e.checker.cta_end(e.grid, 0);
  CHECK(e.only().find("barrier 1 is never completed: 32 of 96 threads have arrived when the CTA ends") !=
        std::string::npos);
}

TEST_CASE("mbarrier misuse") {
  Events e;
  e.checker.mbarrier(e.mbarrier(e.at(0, 0, 1), MbarrierKind::arrive, 1024, 1, 0));
  CHECK(e.only().find("has not been initialised") != std::string::npos);
  Events f;
  f.checker.mbarrier(f.mbarrier(f.at(0, 0, 1, 1), MbarrierKind::init, 1024, 2, 0));
  f.checker.mbarrier(f.mbarrier(f.at(0, 0, 2, 1), MbarrierKind::arrive, 1024, 1, 0));
  f.checker.mbarrier(f.mbarrier(f.at(0, 0, 3, 1), MbarrierKind::init, 1024, 2, 0));
  CHECK(f.only().find("initialised again without mbarrier.inval, with 1 of 2 arrivals") != std::string::npos);
  Events g;  // an init that others may not have seen
  g.checker.mbarrier(g.mbarrier(g.at(0, 0, 1, 1), MbarrierKind::init, 1024, 2, 0));
  g.checker.mbarrier(g.mbarrier(g.at(0, 1, 2, 1), MbarrierKind::arrive, 1024, 1, 0));
  CHECK(g.kinds() == Kinds{FindingKind::race});
}

TEST_CASE("a standstill is told warp by warp") {
  Events e(1, 96);
  e.checker.barrier_arrive({e.at(0, 0, 1), BarrierKind::sync, true, 2, 96});
  e.checker.barrier_arrive({e.at(0, 1, 1), BarrierKind::sync, true, 2, 96});
  e.checker.lanes_exited(e.at(0, 2, 5));
  const WarpState states[] = {{e.at(0, 0, 1), Blocked::barrier, 2}, {e.at(0, 1, 1), Blocked::barrier, 2}};
  e.checker.stuck(states, false);
  REQUIRE(e.kinds() == Kinds{FindingKind::deadlock});
  CHECK(e.only() ==
        "deadlock: k k.cu:11 (ptx line 101), cta 0 warp 0 lane 0: no warp can go on:\n"
        "  cta 0 warp 0 waits at barrier 2 at k.cu:11 (ptx line 101)\n"
        "  cta 0 warp 1 waits at barrier 2 at k.cu:11 (ptx line 101)\n"
        "  cta 0 warp 2 has exited\n"
        "  cta 0 barrier 2: 64 of 96 threads have arrived\n");
}

}  // namespace
