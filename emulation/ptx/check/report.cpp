// Findings: made, placed, counted.
#include <fmt/format.h>

#include <algorithm>

#include "emulation/ptx/check/checker.hpp"

namespace xqacheck::ptx {
namespace {

Place place_of(const GridCheck& grid, std::uint32_t instruction) {
  return instruction < grid.places->size() ? (*grid.places)[instruction] : Place{};
}

std::string file_of(const GridCheck& grid, std::uint32_t file, std::uint32_t line) {
  return line != 0 && file < grid.files->size() ? (*grid.files)[file] : "";
}

std::vector<SourceLine> calls_of(const GridCheck& grid, const Place& place) {
  std::vector<SourceLine> calls;
  for (std::uint32_t site = place.site; site != 0 && site <= grid.sites->size();) {
    const InlinedAt& at = (*grid.sites)[site - 1];
    calls.push_back({file_of(grid, at.file, at.line), at.line});
    site = at.caller;
  }
  return calls;
}

}  // namespace

void Checker::clear_findings() {
  findings_.clear();
  index_.clear();
}

std::string Checker::place_text(const GridCheck& grid, std::uint32_t instruction) const {
  const Place place = place_of(grid, instruction);
  if (place.line == 0) return fmt::format("ptx line {}", place.ptx_line);
  return fmt::format("{} (ptx line {})",
                     chain_text(file_of(grid, place.file, place.line), place.line, calls_of(grid, place)),
                     place.ptx_line);
}

std::string Checker::describe(const Past& past) {
  const GridCheck& grid = grid_of_unit(past.epoch.unit());
  const Unit in_grid = past.epoch.unit() - grid.first;
  const std::string lane =
      past.epoch.lane() == Epoch::kSeveral ? "several lanes" : fmt::format("lane {}", past.epoch.lane());
  return fmt::format(
      "cta {} warp {} {} at {}{}", in_grid / grid.warps, in_grid % grid.warps, lane, place_text(grid, past.instruction),
      &grid == last_grid_ ? "" : fmt::format(" of {} (launch {})", grid.begin.kernel, grid.begin.number));
}

Finding& Checker::report(FindingKind kind, const GridCheck& grid, const WarpAt& at, std::uint32_t lane,
                         std::string message, std::uint32_t other_instruction, const GridCheck* other_grid) {
  const auto [found, fresh] = index_.try_emplace(
      {static_cast<int>(kind), grid.begin.number, at.instruction, other_instruction}, findings_.size());
  if (!fresh) {
    ++findings_[found->second].count;
    overflow_ = {};
    return overflow_;
  }
  if (findings_.size() >= options_.most_findings) {
    index_.erase(found);
    overflow_ = {};
    return overflow_;
  }
  Finding& finding = findings_.emplace_back();
  const Place place = place_of(grid, at.instruction);
  finding.kind = kind;
  finding.message = std::move(message);
  finding.kernel = grid.begin.kernel;
  finding.source_file = file_of(grid, place.file, place.line);
  finding.source_line = place.line;
  finding.calls = calls_of(grid, place);
  finding.ptx_line = place.ptx_line;
  finding.cta = at.cta;
  finding.warp = at.warp;
  finding.lane = lane;
  finding.case_line = case_line_;
  if (other_instruction != ~0u && other_grid != nullptr) {
    const Place other = place_of(*other_grid, other_instruction);
    finding.other_file = file_of(*other_grid, other.file, other.line);
    finding.other_calls = calls_of(*other_grid, other);
    finding.other_line = other.line;
    finding.other_ptx_line = other.ptx_line;
  }
  return finding;
}

void Checker::report_at(FindingKind kind, const Toucher& who, const Target& target, std::string message,
                        const Past* other) {
  Finding& finding =
      report(kind, *who.grid, *who.at, who.lane, std::move(message), other != nullptr ? other->instruction : ~0u,
             other != nullptr ? &grid_of_unit(other->epoch.unit()) : nullptr);
  finding.has_address = true;
  finding.address = target.address;
  if (target.allocation != nullptr) {
    finding.allocation = target.allocation->name;
    finding.offset = target.address - target.allocation->base;
  } else if (target.shadow != nullptr || target.written != nullptr) {
    finding.allocation = target.space == Space::local ? "local" : "shared";
    finding.offset = target.offset;
  }
}

}  // namespace xqacheck::ptx
