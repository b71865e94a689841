#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "kernels/jit/cache.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::kernels::jit;
namespace fs = std::filesystem;

namespace {

const std::string kKey(32, 'k');

CompiledKernel sample() {
  CompiledKernel kernel;
  for (int i = 0; i < 300; ++i) kernel.image.push_back(static_cast<std::byte>(i * 7));
  kernel.log = "ptxas info : Used 40 registers";
  return kernel;
}

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void spill(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Folder {
  fs::path path = fs::temp_directory_path() / ("xqacheck-entry-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

}  // namespace

TEST_CASE("an entry comes back as it was written, and nothing else is left in the folder") {
  Folder folder;
  write_entry(folder.path / "e", kKey, sample());
  CompiledKernel back;
  bool corrupt = true;
  REQUIRE(read_entry(folder.path / "e", kKey, back, corrupt));
  CHECK_FALSE(corrupt);
  CHECK(back.image == sample().image);
  CHECK(back.log == sample().log);
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("every single flipped bit, every truncation and every tail is detected") {
  Folder folder;
  const fs::path path = folder.path / "e";
  write_entry(path, kKey, sample());
  const std::string good = slurp(path);
  CompiledKernel back;
  bool corrupt = false;
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << i % 8));
    spill(path, bad);
    if (read_entry(path, kKey, back, corrupt) || !corrupt) FAIL("flipped byte " << i << " was not noticed");
    spill(path, good.substr(0, i));
    if (read_entry(path, kKey, back, corrupt) || !corrupt) FAIL("truncation to " << i << " bytes was not noticed");
  }
  spill(path, good + "x");
  CHECK_FALSE(read_entry(path, kKey, back, corrupt));
  CHECK(corrupt);
}

TEST_CASE("an entry under another key's name is refused; an absent one is not corrupt") {
  Folder folder;
  write_entry(folder.path / "e", kKey, sample());
  CompiledKernel back;
  bool corrupt = false;
  CHECK_FALSE(read_entry(folder.path / "e", std::string(32, 'x'), back, corrupt));
  CHECK(corrupt);
  CHECK_FALSE(read_entry(folder.path / "none", kKey, back, corrupt));
  CHECK_FALSE(corrupt);
}

TEST_CASE("a folder that cannot be written is an error with its path, and leaves nothing") {
  CHECK_THROWS_WITH(write_entry("/proc/nowhere/e", kKey, sample()), Catch::Contains("/proc/nowhere/e"));
}
