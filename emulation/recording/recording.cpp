#include "emulation/recording/recording.hpp"

#include <algorithm>
#include <filesystem>

#include "emulation/kernels/carry_out.hpp"

namespace xqacheck::emulation {

Recording read_recording(const std::string& path) {
  const RecordedFile file(path);
  const std::string format = file.text_or("format", "");
  if (format == "xqacheck-recording/1") return read_version1(file);
  if (!format.empty()) file.fail("metadata format: '" + format + "' is not known; this version reads xqacheck-recording/1");
  return read_version0(file);
}

void set_declared_recipe(Recording& recording, const DeclaredRecipe& declared) {
  recording.declared = declared;
  try {
    recording.recipe = parse_recipe(declared.family, declared.arch, declared.toolkit, declared.parameters);
  } catch (const RecipeError&) {
    recording.recipe.reset();
  }
}

bool can_be_emulated(const Recording& recording) {
  return recording.recipe.has_value() || has_fixed_emulator(recording.declared.family);
}

std::vector<std::string> find_recordings(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      if (!fs::exists(path, error)) throw RecordingError(path + ": there is no such file or directory");
      files.push_back(path);
      continue;
    }
    const std::size_t before = files.size();
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file() && entry.path().extension() == ".safetensors") files.push_back(entry.path().string());
    }
    if (files.size() == before) throw RecordingError(path + ": there is no .safetensors file in it");
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace xqacheck::emulation
