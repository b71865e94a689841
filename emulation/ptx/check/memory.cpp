// Loads, stores and atomics: legality first, then history.
#include <fmt/format.h>

#include "emulation/ptx/check/checker.hpp"

namespace xqacheck::ptx {
namespace {

Strength strength_of(Order order, Scope scope) {
  if (order == Order::weak) return Strength::weak;
  return scope == Scope::cta ? Strength::strong_cta : Strength::strong_gpu;
}

// Locations through which release and acquire meet: device addresses as they are, shared ones above them.
std::uint64_t location_key(Space space, Unit first_of_cta, std::uint64_t address) {
  return space == Space::shared ? std::uint64_t{1} << 63 | std::uint64_t{first_of_cta} << 24 | address : address;
}

}  // namespace

bool Checker::check_alignment(const Toucher& who, Space space, std::uint64_t address, std::uint32_t alignment) {
  if (address % alignment == 0) return true;
  Target target;
  target.address = address;
  target.space = space;
  if (Block* block = space == Space::global ? allocations_.find(address) : nullptr)
    target.allocation = &block->allocation;
  report_at(
      FindingKind::misaligned, who, target,
      fmt::format("the access needs {}-byte alignment, the address is {} past it", alignment, address % alignment));
  return false;
}

// False, with a finding, where the bytes do not lie in one allocation that the access may use.
bool Checker::resolve(const Toucher& who, Space space, std::uint64_t address, std::uint32_t bytes, bool write,
                      Target& target) {
  target.address = address;
  target.space = space;
  const char* what = write ? "write" : "read";
  if (space == Space::global || space == Space::constant) {
    Block* block = allocations_.find(address);
    if (block == nullptr) {
      std::string where = "no memory is allocated";
      if (const Block* near = allocations_.nearest(address)) {
        const Allocation& a = near->allocation;
        target.allocation = &a;
        where = address < a.base
                    ? fmt::format("{} bytes before {} ({} bytes)", a.base - address, a.name, a.size)
                    : fmt::format("{} bytes past the end of {} ({} bytes)", address - a.base - a.size, a.name, a.size);
      }
      report_at(FindingKind::out_of_bounds, who, target, fmt::format("{} of {} bytes: {}", what, bytes, where));
      return false;
    }
    target.allocation = &block->allocation;
    target.offset = address - block->allocation.base;
    if (target.offset + bytes > block->allocation.size) {
      report_at(
          FindingKind::out_of_bounds, who, target,
          fmt::format("{} of {} bytes: the last {} lie past the end of {} ({} bytes)", what, bytes,
                      target.offset + bytes - block->allocation.size, block->allocation.name, block->allocation.size));
      return false;
    }
    if (write && (block->allocation.read_only || space == Space::constant)) {
      report_at(FindingKind::write_to_read_only, who, target,
                fmt::format("write of {} bytes to {}, which is an input", bytes, block->allocation.name));
      return false;
    }
    target.shadow = block->allocation.read_only ? nullptr : &block->shadow;  // nobody writes it: no races
    target.written = block->allocation.initialised ? nullptr : &block->written;
    return true;
  }
  CtaCheck* cta = who.cta;
  if (space == Space::shared && address >> 32 != 0) {  // of another CTA of the cluster
    const auto owner = static_cast<std::uint32_t>((address >> 32) - 1);
    if (owner >= who.grid->ctas.size() || who.grid->ctas[owner] == nullptr) {
      report_at(FindingKind::out_of_bounds, who, target,
                fmt::format("{} of {} bytes of shared memory of cta {}, which does not run", what, bytes, owner));
      return false;
    }
    cta = who.grid->ctas[owner].get();
    address &= 0xFFFFFFFFu;
  }
  if (cta->ended) {
    report_at(FindingKind::use_after_cta_end, who, target,
              fmt::format("{} of {} bytes of shared memory of cta {}, which has ended", what, bytes, cta->cta));
    return false;
  }
  const std::uint64_t size = space == Space::shared ? who.grid->begin.shared_bytes : who.grid->begin.local_bytes;
  target.offset = address;
  if (space == Space::shared) {
    target.shadow = cta->shadow.get();
    target.written = cta->written.get();
  } else {
    if (cta->local.empty()) cta->local.resize(std::size_t{who.grid->warps} * 32);
    auto& written = cta->local[who.at->warp * 32 + who.lane];
    if (written == nullptr) written = std::make_unique<Written>(size);
    target.written = written.get();
  }
  if (address + bytes > size || address + bytes < address) {
    report_at(
        FindingKind::out_of_bounds, who, target,
        fmt::format("{} of {} bytes at {}: the {} memory of a {} has {} bytes", what, bytes, address,
                    space == Space::shared ? "shared" : "local", space == Space::shared ? "CTA" : "thread", size));
    return false;
  }
  return true;
}

void Checker::read(const Toucher& who, const Target& target, std::uint32_t bytes) {
  if (target.written != nullptr && options_.uninitialised) {
    if (const std::uint64_t hole = target.written->first_hole(target.offset, bytes); hole != bytes) {
      Target at = target;
      at.address += hole;
      at.offset += hole;
      report_at(FindingKind::uninitialised, who, at,
                fmt::format("read of {} bytes: byte {} of them has never been written", bytes, hole));
      target.written->set(target.offset, bytes);  // once is enough
    }
  }
  if (target.shadow != nullptr && options_.races)
    target.shadow->touch(target.offset, bytes, [&](Word& word) { read_word(who, target, word); });
}

void Checker::write(const Toucher& who, const Target& target, std::uint32_t bytes) {
  if (target.written != nullptr) target.written->set(target.offset, bytes);
  if (target.shadow == nullptr || !options_.races) return;
  if (!sources_.empty() && target.space == Space::global) check_sources(who, target, bytes);
  target.shadow->touch(target.offset, bytes, [&](Word& word) { write_word(who, target, word); });
}

LaneMask Checker::access(const Access& access) {
  if (access.space == Space::param) return access.at.active;
  GridCheck& grid = grid_of(access.at.grid);
  CtaCheck& cta = cta_of(grid, access.at.cta);
  const bool reads = access.kind != AccessKind::store, writes = access.kind != AccessKind::load;
  const bool atomic = access.kind == AccessKind::atomic || access.kind == AccessKind::reduction;
  // atom and red without an order are relaxed (PTX ISA, atom).
  const Order order = atomic && access.order == Order::weak ? Order::relaxed : access.order;
  Toucher who{&grid,      &cta, cta.ended ? nullptr : &cta.warps[access.at.warp],
              &access.at, 0,    strength_of(order, access.scope)};
  LaneMask legal = 0;
  for (LaneMask left = access.at.active; left != 0; left &= left - 1) {
    who.lane = static_cast<std::uint32_t>(__builtin_ctz(left));
    const std::uint64_t address = access.addresses[who.lane];
    Target target;
    const std::uint32_t alignment = access.alignment != 0 ? access.alignment : access.bytes;
    if (!check_alignment(who, access.space, address, alignment)) continue;
    if (!resolve(who, access.space, address, access.bytes, writes, target)) continue;
    legal |= 1u << who.lane;
    // What it synchronises with comes first: the acquiring access itself is ordered by it.
    if (order != Order::weak) synchronise_location(who, access, location_key(access.space, who.warp->first, address));
    if (reads && !writes) read(who, target, access.bytes);
    if (reads && writes && target.written != nullptr && options_.uninitialised) {
      const std::uint64_t hole = target.written->first_hole(target.offset, access.bytes);
      if (hole != access.bytes)
        report_at(FindingKind::uninitialised, who, target,
                  fmt::format("atomic on {} bytes that nobody has written", access.bytes));
    }
    if (writes) write(who, target, access.bytes);
  }
  // A release ends the time of its warp, so that what follows is not published with what came before.
  if (order != Order::weak && who.warp != nullptr) ++who.warp->time;
  return legal;
}

}  // namespace xqacheck::ptx
