#include "emulation/recording/recording.hpp"

#include <algorithm>
#include <filesystem>

namespace xqacheck::emulation {

Recording read_recording(const std::string& path) {
  const RecordedFile file(path);
  const std::string format = file.text_or("format", "");
  if (format == "xqacheck-recording/1") return read_version1(file);
  if (!format.empty()) file.fail("metadata format: '" + format + "' is not known; this version reads xqacheck-recording/1");
  return read_version0(file);
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
