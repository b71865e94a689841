#include "emulation/ptx/watch/watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "emulation/ptx/front/error.hpp"
#include "emulation/ptx/machine/machine.hpp"

namespace xqacheck::ptx {
namespace {

std::string hex(const std::vector<std::byte>& bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    text += fmt::format("{}{:02x}", i != 0 && i % 4 == 0 ? " " : "", std::to_integer<unsigned>(bytes[i]));
  return text;
}

}  // namespace

bool parse_watch(const std::string& text, WatchRange& range, std::string& why) {
  range = {};
  const auto number = [](const std::string& digits, auto& value) {
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} && stop == digits.data() + digits.size() && !digits.empty();
  };
  constexpr std::uint64_t kMostBytes = 256;  // more than a line can show
  std::string rest = text;
  bool good = true;
  if (rest.rfind("cta", 0) == 0 && rest.find(':') < rest.find('+')) {
    good = number(rest.substr(3, rest.find(':') - 3), range.cta);
    rest = rest.substr(rest.find(':') + 1);
  }
  const std::size_t plus = rest.find('+'), colon = rest.find(':');
  range.memory = rest.substr(0, std::min(plus, colon));
  if (plus != std::string::npos) good = good && number(rest.substr(plus + 1, colon - plus - 1), range.offset);
  if (colon != std::string::npos) good = good && number(rest.substr(colon + 1), range.bytes);
  if (good && !range.memory.empty() && range.bytes != 0 && range.bytes <= kMostBytes &&
      range.offset <= UINT64_MAX - kMostBytes)
    return true;
  why = fmt::format(
      "'{}': [ctaN:]NAME+OFFSET:BYTES is expected, such as shared+0:4 or cta3:scratch+128:16, with at most {} bytes",
      text, kMostBytes);
  return false;
}

std::string to_text(const WatchRange& range) {
  return fmt::format("{}{}+{}:{}", range.cta == WatchRange::kEveryCta ? "" : fmt::format("cta{}:", range.cta),
                     range.memory, range.offset, range.bytes);
}

Watch::Watch(const Machine& machine, Monitor& inner, std::vector<WatchRange> ranges, Say say)
    : machine_(machine), inner_(inner), ranges_(std::move(ranges)), say_(std::move(say)), found_(ranges_.size()) {}
void Watch::check_ranges() const {
  for (std::size_t i = 0; i < ranges_.size(); ++i)
    if (!found_[i])
      throw PtxError(
          fmt::format("watch {}: no memory of that name holds these bytes (\"shared\", or the name of a buffer)",
                      to_text(ranges_[i])));
}

Watch::~Watch() {
  flush();
}

const std::byte* Watch::now(const Spot& spot) const {
  if (spot.base != 0) return machine_.memory().at(spot.base, spot.bytes.size());
  const auto shared = machine_.shared_of(spot.grid, spot.cta);
  const std::uint64_t offset = ranges_[spot.range].offset;
  return offset + spot.bytes.size() <= shared.size() ? shared.data() + offset : nullptr;
}

// Tells what the bytes have become; `always`: also when they are as before.
void Watch::see(Spot& spot, const std::string& who, bool always) {
  const std::byte* at = now(spot);
  if (at == nullptr) return;
  const bool same = std::memcmp(at, spot.bytes.data(), spot.bytes.size()) == 0;
  if (same && !always) return;
  const WatchRange& range = ranges_[spot.range];
  std::string line =
      fmt::format("watch {} + {}, {} bytes: {}: {}", range.memory, range.offset, range.bytes, who, hex(spot.bytes));
  if (!same) {
    std::copy_n(at, spot.bytes.size(), spot.bytes.data());
    line += " -> " + hex(spot.bytes);
  }
  say_(line);
}

void Watch::flush() {
  for (const Pending& pending : pending_) see(spots_[pending.spot], pending.who, true);
  pending_.clear();
  for (Spot& spot : spots_) {
    const bool shared = spot.base == 0;
    if (!shared && ranges_[spot.range].cta != WatchRange::kEveryCta) {  // another CTA, which is not watched
      if (const std::byte* at = now(spot)) std::copy_n(at, spot.bytes.size(), spot.bytes.data());
      continue;
    }
    see(spot, shared ? fmt::format("cta {}: an asynchronous copy has landed", spot.cta) : "the host has written",
        false);
  }
}

std::string Watch::who(const WarpAt& at, const char* what, LaneMask lanes) const {
  std::string place = "?";
  const auto grid = grids_.find(at.grid);
  if (grid != grids_.end() && at.instruction < grid->second.places.size()) {
    const GridPlaces& known = grid->second;
    const Place& found = known.places[at.instruction];
    std::vector<SourceLine> calls;
    for (std::uint32_t site = found.site; site != 0; site = known.sites[site - 1].caller)
      calls.push_back({known.files[known.sites[site - 1].file], known.sites[site - 1].line});
    place = found.line == 0 ? fmt::format("ptx line {}", found.ptx_line)
                            : fmt::format("{} (ptx line {})", chain_text(known.files[found.file], found.line, calls),
                                          found.ptx_line);
  }
  return fmt::format("cta {} warp {} lanes 0x{:08x} {} {}", at.cta, at.warp, lanes, what, place);
}

void Watch::touched(const WarpAt& at, Space space, const std::uint64_t* addresses, std::uint32_t bytes,
                    const char* what) {
  for (std::size_t i = 0; i < spots_.size(); ++i) {
    const Spot& spot = spots_[i];
    const WatchRange& range = ranges_[spot.range];
    const bool shared = spot.base == 0;
    if ((space == Space::shared) != shared || space == Space::local || space == Space::param) continue;
    if (shared ? spot.grid != at.grid || spot.cta != at.cta : range.cta != WatchRange::kEveryCta && range.cta != at.cta)
      continue;
    const std::uint64_t begin = shared ? range.offset : spot.base;
    LaneMask lanes = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      if ((at.active >> lane & 1) != 0 && addresses[lane] < begin + range.bytes && begin < addresses[lane] + bytes)
        lanes |= 1u << lane;
    if (lanes != 0) pending_.push_back({i, who(at, what, lanes)});
  }
}

LaneMask Watch::access(const Access& access) {
  flush();
  constexpr const char* kWhat[] = {"read", "write", "atomic", "reduction"};
  touched(access.at, access.space, access.addresses, access.bytes, kWhat[static_cast<int>(access.kind)]);
  return inner_.access(access);
}

LaneMask Watch::async_copy(const AsyncCopy& copy) {
  flush();
  touched(copy.at, copy.to_space, copy.to, copy.bytes, "issues a copy to here");
  touched(copy.at, copy.from_space, copy.from, copy.bytes, "issues a copy from here");
  flush();  // the landing is told by itself
  return inner_.async_copy(copy);
}

void Watch::allocated(const Allocation& allocation) {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    if (ranges_[i].memory != allocation.name || ranges_[i].offset + ranges_[i].bytes > allocation.size) continue;
    found_[i] = true;
    Spot spot{i, 0, 0, allocation.base + ranges_[i].offset, std::vector<std::byte>(ranges_[i].bytes)};
    if (const std::byte* at = now(spot)) std::copy_n(at, spot.bytes.size(), spot.bytes.data());
    spots_.push_back(std::move(spot));
  }
  inner_.allocated(allocation);
}

void Watch::freed(std::uint64_t base) {
  flush();
  std::erase_if(spots_,
                [&](const Spot& spot) { return spot.base != 0 && spot.base - ranges_[spot.range].offset == base; });
  inner_.freed(base);
}

void Watch::cta_begin(std::uint32_t grid, std::uint32_t cta) {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const WatchRange& range = ranges_[i];
    if (range.memory != "shared" || range.offset + range.bytes > grids_[grid].shared_bytes) continue;
    if (range.cta != WatchRange::kEveryCta && range.cta != cta) continue;
    found_[i] = true;
    spots_.push_back({i, grid, cta, 0, std::vector<std::byte>(range.bytes)});
  }
  inner_.cta_begin(grid, cta);
}

void Watch::cta_end(std::uint32_t grid, std::uint32_t cta) {
  flush();
  std::erase_if(spots_, [&](const Spot& spot) { return spot.base == 0 && spot.grid == grid && spot.cta == cta; });
  inner_.cta_end(grid, cta);
}

void Watch::grid_begin(const GridBegin& grid) {
  grids_[grid.number] = {{grid.places.begin(), grid.places.end()},
                         {grid.files.begin(), grid.files.end()},
                         {grid.sites.begin(), grid.sites.end()},
                         grid.shared_bytes};
  inner_.grid_begin(grid);
}

void Watch::grid_end(std::uint32_t grid) {
  flush();
  grids_.erase(grid);
  inner_.grid_end(grid);
}

// The rest is passed on.
void Watch::host_wrote(std::uint64_t base, std::uint64_t bytes) {
  flush();
  inner_.host_wrote(base, bytes);
}
void Watch::lanes_exited(const WarpAt& at) {
  flush();
  inner_.lanes_exited(at);
}
void Watch::copy_commit(const WarpAt& at) {
  inner_.copy_commit(at);
}
void Watch::copy_wait(const WarpAt& at, std::uint32_t groups_left) {
  flush();
  inner_.copy_wait(at, groups_left);
}
void Watch::copy_arrive(const WarpAt& at, std::uint32_t owner, std::uint64_t mbarrier) {
  flush();
  inner_.copy_arrive(at, owner, mbarrier);
}
void Watch::barrier_arrive(const BarrierArrive& arrive) {
  flush();
  inner_.barrier_arrive(arrive);
}
void Watch::barrier_completed(std::uint32_t grid, std::uint32_t cta, std::uint32_t id) {
  inner_.barrier_completed(grid, cta, id);
}
void Watch::warp_sync(const WarpAt& at, LaneMask members) {
  inner_.warp_sync(at, members);
}
void Watch::mbarrier(const Mbarrier& event) {
  flush();
  std::uint64_t addresses[32] = {};
  for (std::uint64_t& address : addresses) address = event.address;
  if (event.owner == event.at.cta) touched(event.at, Space::shared, addresses, 8, "mbarrier");
  inner_.mbarrier(event);
}
void Watch::fence(const WarpAt& at, FenceKind kind, Scope scope) {
  inner_.fence(at, kind, scope);
}
void Watch::launch_dependents(const WarpAt& at) {
  inner_.launch_dependents(at);
}
void Watch::dependency_wait(const WarpAt& at) {
  inner_.dependency_wait(at);
}
void Watch::stuck(std::span<const WarpState> warps, bool livelock) {
  flush();
  inner_.stuck(warps, livelock);
}

}  // namespace xqacheck::ptx
