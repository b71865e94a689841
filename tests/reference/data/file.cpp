// Tensors of a case from a .safetensors file.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <xxhash.h>

#include "reference/safetensors.hpp"
#include "tests/catch.hpp"
#include "tests/reference/data/made.hpp"

using namespace xqacheck::reference;
using xqacheck::tests::Made;

namespace {

// A file in the temporary folder, removed at the end.
class TemporaryFile {
 public:
  TemporaryFile() : path_(std::filesystem::temp_directory_path() / fmt::format("xqacheck-{}.safetensors", getpid())) {}
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }
  std::string key() const {
    const auto bytes = Safetensors::read(path()).bytes();
    return fmt::format("file={}#{:x}", path(), XXH64(bytes.data(), bytes.size(), 0));
  }

 private:
  std::filesystem::path path_;
};

std::vector<float> ramp(std::size_t count, float start) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = start + static_cast<float>(i % 100);
  return values;
}

TensorToWrite f32(const char* name, std::vector<std::uint64_t> shape, const std::vector<float>& values) {
  return {name, FileDtype::f32, std::move(shape), values.data(), values.size() * sizeof(float)};
}

std::string error_of(const std::string& line) {
  try {
    make_problem(parse_case(line));
  } catch (const CaseError& error) {
    CHECK(error.field == "file");
    return error.what();
  }
  return "no error";
}

// Two requests of 5 and 3 tokens, 2 KV heads of 16 channels, 4 query heads.
constexpr const char* kLine = "xqa/1 heads=4/2 dim=16 len=5,3 page=2 ";

}  // namespace

TEST_CASE("q, k and v come from the file", "[data]") {
  const TemporaryFile file;
  const auto q = ramp(2 * 4 * 16, -20), k = ramp(8 * 2 * 16, 0), v = ramp(8 * 2 * 16, 100);
  write_safetensors(file.path(), {f32("q", {2, 4, 16}, q), f32("k", {8, 2, 16}, k), f32("v", {8, 2, 16}, v)}, {});
  for (const char* more : {"", "layout=pool ", "page=0 ", "kv=e4m3 kscale=4 vscale=8 "}) {
    std::string line = kLine;
    if (std::string(more) == "page=0 ") line.erase(line.find(" page=2"), 7);
    const Made m(line + more + file.key());
    INFO(more);
    const auto stored = [&](double real, float scale) { return decode(m.c.kv, encode(m.c.kv, real / scale)) * scale; };
    // Token 2 of request 1 is token 7 of the file.
    CHECK(m.k(1, 2, 1, 3) == stored(k[(7 * 2 + 1) * 16 + 3], m.c.k_scale));
    CHECK(m.v(0, 4, 0, 15) == stored(v[(4 * 2 + 0) * 16 + 15], m.c.v_scale));
    CHECK(m.q(1, 3, 9) == q[(1 * 4 + 3) * 16 + 9]);
  }
}

TEST_CASE("stored 8-bit values are taken as they are", "[data]") {
  const TemporaryFile file;
  const auto q = ramp(2 * 4 * 16, 0);
  std::vector<std::uint8_t> k(8 * 2 * 16), v(k.size());
  for (std::size_t i = 0; i < k.size(); ++i)
    k[i] = static_cast<std::uint8_t>(i), v[i] = static_cast<std::uint8_t>(i * 7);
  write_safetensors(file.path(),
                    {f32("q", {2, 4, 16}, q),
                     {"k", FileDtype::f8_e4m3, {8, 2, 16}, k.data(), k.size()},
                     {"v", FileDtype::f8_e4m3, {8, 2, 16}, v.data(), v.size()}},
                    {});
  const Made m(kLine + std::string("kv=e4m3 kscale=0.3 vscale=0.7 ") + file.key());
  for (std::uint32_t ch = 0; ch < 16; ++ch) {
    const std::uint8_t code = k[(6 * 2 + 1) * 16 + ch];
    const auto got = static_cast<const std::uint8_t*>(m.d.k.data)[m.kv.k_row(1, 0, 1, 1) + ch];
    CHECK(int(got) == ((code & 0x7F) == 0x7F ? 0x7F : int(code)));  // both NaNs become one
  }
  CHECK_THAT(error_of(kLine + std::string("kv=int8 ") + file.key()), Catch::Contains("tensor 'k' has dtype F8_E4M3"));
}

TEST_CASE("files that do not fit are refused", "[data]") {
  const TemporaryFile file;
  const auto values = ramp(8 * 2 * 16, 0);
  const std::vector<float> q(values.begin(), values.begin() + 128);
  CHECK_THAT(error_of(kLine + std::string("file=/nowhere/x#1")), Catch::Contains("cannot be opened: No such file"));
  write_safetensors(file.path(), {f32("q", {2, 4, 16}, q), f32("k", {8, 2, 16}, values)}, {});
  CHECK_THAT(error_of(kLine + ("file=" + file.path() + "#1")), Catch::Contains("the file's hash is "));
  CHECK_THAT(error_of(kLine + file.key()), Catch::Contains("has no tensor 'v'"));
  write_safetensors(file.path(), {f32("q", {2, 4, 16}, q), f32("k", {16, 16}, values), f32("v", {8, 2, 16}, values)},
                    {});
  CHECK_THAT(error_of(kLine + file.key()), Catch::Contains("tensor 'k' has shape [16, 16], the case needs [8, 2, 16]"));
  const std::vector<std::uint32_t> whole(128);
  write_safetensors(file.path(), {{"q", FileDtype::u32, {2, 4, 16}, whole.data(), 512}}, {});
  CHECK_THAT(error_of(kLine + file.key()), Catch::Contains("tensor 'q' has dtype U32; allowed are F32 F16 BF16"));
}
