// Recording: one launch of a kernel, its inputs and what it wrote. Files are documented in doc/recordings.md.
//
// Version 0 is the format of the runs recorded on an H200 (fixtures/recorded); version 1 is what write_recording() makes: it
// holds any problem. Both are read for ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulation/kernels/recipe.hpp"
#include "emulation/recording/recorded_file.hpp"
#include "reference/problem.hpp"

namespace xqacheck::emulation {

struct Recording {
  std::string path;
  std::string name;                  // of the case
  std::map<std::string, std::string> metadata;
  reference::Problem problem;        // forced_splits is the recorded split count
  std::vector<std::byte> out;        // as the kernel wrote it, strides of the problem
  std::vector<std::byte> lse;        // empty if not recorded
  std::optional<std::vector<std::uint32_t>> semaphores;  // after the run
  std::optional<Recipe> recipe;      // of the kernel that was recorded, if it declares one
  std::string kernel;                // hmma, qgmma, hgmma (version 0), or the kernel's own name
};

// Throws RecordingError naming file and field.
Recording read_recording(const std::string& path);

// What a recording says besides the problem and the output.
struct RecordingSource {
  std::string kernel, version, device, case_line;
  const xqacheck_recipe* recipe = nullptr;
  std::uint32_t splits = 1;  // sub-sequences that really ran
};

// Writes version 1. `out` and `lse` have the strides of the problem; lse may be empty. Throws RecordingError.
void write_recording(const std::string& path, const reference::Problem& problem, const RecordingSource& source,
                     std::span<const std::byte> out, std::span<const std::byte> lse);

// All recordings below the given files and directories, sorted by path. Throws RecordingError where there is nothing.
std::vector<std::string> find_recordings(const std::vector<std::string>& paths);

// The two formats; read_recording() chooses.
Recording read_version0(const RecordedFile& file);
Recording read_version1(const RecordedFile& file);

}  // namespace xqacheck::emulation
