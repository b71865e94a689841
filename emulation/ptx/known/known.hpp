// A list of findings that somebody has traced to the end: which instructions, in the lines of the source, and why they
// are as they are. A run with such a list fails on what is not in it.
//
//   {"known-findings": 1, "kernel": "kernel_mha", "source": "where the lines count",
//    "entries": [{"kind": "race", "memory": "shared", "at": "a.cu:97", "other": ["a.cu:90-92", "b.cuh:12"], "reason":
//    "…"}]}
//
// A line matches wherever it stands in the chain of inlined calls of the instruction, so that the line of a kernel
// names what happens in the helpers it calls. `other` belongs to races and copies in flight; which of the two
// instructions comes second depends on the schedule, so both ways match. `kind`, `at` and `other` take one value or a
// list.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulation/ptx/check/finding.hpp"

namespace xqacheck::ptx {

struct SourceRange {
  std::string file;  // without folders
  std::uint32_t first = 0, last = 0;
};

struct KnownFinding {
  std::vector<FindingKind> kinds;
  std::string memory;                  // allocation: "shared", "scratch"; empty: any
  std::vector<SourceRange> at, other;  // other: empty where the finding has no second instruction
  std::string reason;
  std::uint64_t seen = 0;  // how often it has matched: findings of all runs, each counted as often as it happened
};

class KnownFindings {
 public:
  KnownFindings() = default;
  // Throws PtxError that names the entry, the key and the fix. `name`: of the file, for messages.
  KnownFindings(const std::string& text, const std::string& name);
  static KnownFindings read(const std::string& path);

  // The entry that covers the finding, counted; null if none does.
  const KnownFinding* match(const Finding& finding);
  const std::vector<KnownFinding>& entries() const { return entries_; }

 private:
  std::string kernel_;  // part of the mangled name; empty: any
  std::vector<KnownFinding> entries_;
};

// "race in shared at mha.cu:2779 with mha.cu:2769"
std::string to_text(const KnownFinding& entry);

}  // namespace xqacheck::ptx
