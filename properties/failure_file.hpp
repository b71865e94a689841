// Saved failures: one text file a failure under failures/. The run line stands alone on the last line, all else is
// comments, so that a failure file is also a corpus; the comments make it possible to tell a stale file from a fixed
// kernel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "properties/verdict.hpp"
#include "reference/problem.hpp"
#include "reference/run_line.hpp"

namespace xqacheck::properties {

struct SavedFailure {
  std::string tool;                // full version
  std::uint32_t abi = 0;           // version of the kernel interface
  std::string status, kind;        // "FAILED", "value"
  std::string message, found;      // of the verdict; the run line before shrinking
  std::uint64_t problem_hash = 0;  // hash_of(problem): tells whether this tool still makes the same tensors
  std::uint64_t out_hash = 0;      // of the plain run's output, 0 if it left none
  reference::RunLine run;
};

SavedFailure saved_failure(const Verdict& verdict, const std::string& found, std::uint64_t problem_hash);

std::string text_of(const SavedFailure& failure);

// True for text that text_of() wrote, whatever its version.
bool is_failure_file(std::string_view text);

// Throws UsageError for what is malformed, and for what another version of the tool or of the kernel interface saved.
SavedFailure parse_failure(std::string_view text, const std::string& name);

// Throws UsageError when the tensors of the case are no longer those that were saved.
void refuse_other_data(const SavedFailure& failure, std::uint64_t problem_hash, const std::string& name);

// "flash32-golden-0123456789abcdef.txt": equal failures have equal names.
std::string file_name_of(const SavedFailure& failure);

// xxh64 over sizes and bytes of every input tensor. Pools above 256 MiB count with their size only.
std::uint64_t hash_of(const reference::Problem& problem);

}  // namespace xqacheck::properties
