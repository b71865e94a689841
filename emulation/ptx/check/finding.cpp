#include "emulation/ptx/check/finding.hpp"

#include <fmt/format.h>

namespace xqacheck::ptx {

const char* name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::out_of_bounds:
      return "out-of-bounds";
    case FindingKind::misaligned:
      return "misaligned";
    case FindingKind::uninitialised:
      return "uninitialised";
    case FindingKind::write_to_read_only:
      return "write-to-read-only";
    case FindingKind::use_after_cta_end:
      return "use-after-cta-end";
    case FindingKind::read_in_flight:
      return "read-in-flight";
    case FindingKind::overwrite_in_flight:
      return "overwrite-in-flight";
    case FindingKind::race:
      return "race";
    case FindingKind::deadlock:
      return "deadlock";
    case FindingKind::livelock:
      return "livelock";
    case FindingKind::barrier_misuse:
      return "barrier-misuse";
    case FindingKind::mbarrier_misuse:
      return "mbarrier-misuse";
  }
  return "?";
}

std::string chain_text(const std::string& file, std::uint32_t line, const std::vector<SourceLine>& calls) {
  const auto name = [](const std::string& path) { return path.substr(path.find_last_of('/') + 1); };
  std::string text = fmt::format("{}:{}", name(file), line);
  for (const SourceLine& call : calls) text += fmt::format(" < {}:{}", name(call.file), call.line);
  return text;
}

std::string to_text(const Finding& finding) {
  std::string text = fmt::format("{}: {}", name_of(finding.kind), finding.kernel);
  if (finding.source_line != 0) text += " " + chain_text(finding.source_file, finding.source_line, finding.calls);
  text +=
      fmt::format(" (ptx line {}), cta {} warp {} lane {}", finding.ptx_line, finding.cta, finding.warp, finding.lane);
  if (finding.has_address) {
    text += fmt::format(", address 0x{:x}", finding.address);
    if (!finding.allocation.empty()) text += fmt::format(" = {} + {}", finding.allocation, finding.offset);
  }
  text += ": " + finding.message;
  if (finding.count > 1) text += fmt::format(" ({} times)", finding.count);
  if (!finding.case_line.empty()) text += fmt::format(" [{}]", finding.case_line);
  return text;
}

}  // namespace xqacheck::ptx
