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

// The recipe that the recorded kernel declared, as it said it.
struct DeclaredRecipe {
  std::string family, arch, toolkit, parameters;  // family "" where none was declared
};

struct Recording {
  std::string path;
  std::string name;                  // of the case
  std::map<std::string, std::string> metadata;
  reference::Problem problem;        // forced_splits is the recorded split count
  std::vector<std::byte> out;        // as the kernel wrote it, strides of the problem
  std::vector<std::byte> lse;        // empty if not recorded
  std::string out_hash, lse_hash;    // instead of the bytes, for large outputs of calls files; else ""
  std::optional<std::vector<std::uint32_t>> semaphores;  // after the run
  DeclaredRecipe declared;
  std::optional<Recipe> recipe;      // the same as switches, for the families that have them (hmma, gmma)
  std::string kernel;                // hmma, qgmma, hgmma (version 0), or the kernel's own name
};

// Sets `declared`, and `recipe` where the family has switches. A family of which this build has no emulator is no error:
// the recording can still be judged by the golden model.
void set_declared_recipe(Recording& recording, const DeclaredRecipe& declared);
// True where replay() can carry out the declared recipe.
bool can_be_emulated(const Recording& recording);

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

// All recordings (.safetensors) below the given files and directories, sorted by path. Throws RecordingError where there is nothing.
std::vector<std::string> find_recordings(const std::vector<std::string>& paths);

// The two formats; read_recording() chooses.
Recording read_version0(const RecordedFile& file);
Recording read_version1(const RecordedFile& file);

}  // namespace xqacheck::emulation
