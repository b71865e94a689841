// Runs a fuzz target over the files of a folder, in order of their names: the seeds as an ordinary test, with any
// compiler.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::vector<std::uint8_t>& bytes) {
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

std::size_t replay_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  run({std::istreambuf_iterator<char>(file), {}});
  return 1;
}

// A .hex file holds many inputs, each as a line of hexadecimal digits: what fuzzing found worth keeping.
std::size_t replay_lines(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i + 1 < line.size(); i += 2) {
      bytes.push_back(static_cast<std::uint8_t>(std::stoul(line.substr(i, 2), nullptr, 16)));
    }
    run(bytes);
  }
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s FOLDER LEAST\nruns every file of FOLDER; fails if there are fewer than LEAST\n",
                 argv[0]);
    return 2;
  }
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1], error)) paths.push_back(entry.path());
  if (error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error.message().c_str());
    return 2;
  }
  std::sort(paths.begin(), paths.end());
  std::size_t inputs = 0;
  for (const auto& path : paths) inputs += path.extension() == ".hex" ? replay_lines(path) : replay_file(path);
  std::printf("%zu inputs\n", inputs);
  // An empty folder would pass without having tested anything.
  return inputs >= static_cast<std::size_t>(std::atoi(argv[2])) ? 0 : 1;
}
