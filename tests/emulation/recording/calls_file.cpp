// Calls files: outputs and hashes come back, every kind of damage is named with its line, and a wrong bit is seen.
#include "emulation/recording/calls_file.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "emulation/kernels/carry_out.hpp"
#include "emulation/recording/replay.hpp"
#include "reference/case_line.hpp"
#include "tests/catch.hpp"

using namespace xqacheck;
using namespace xqacheck::emulation;
using Catch::Matchers::Contains;

namespace {

const xqacheck_recipe kRecipe = {"mmha", "sm_90", "", ""};
// One small output that is kept whole, one with gaps, one that is only hashed; all with LSE but the last.
const char* const kCases[] = {"xqa/1 heads=4/2 dim=32 len=70,3 lse=1 sinks=log seed=1",
                              "xqa/1 heads=2/1 dim=16 len=9 q=fp16 kv=e4m3 outpad=8/16 lse=1 seed=2",
                              "xqa/1 heads=32/4 dim=128 len=700 q=fp16 kv=int8 seed=3"};

struct TemporaryCalls {
  std::string path =
      (std::filesystem::temp_directory_path() / ("calls-" + std::to_string(getpid()) + ".calls.jsonl")).string();
  ~TemporaryCalls() { std::remove(path.c_str()); }
  std::string text() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }
  void replace(const std::string& from, const std::string& to) const {
    std::string all = text();
    const auto at = all.find(from);
    REQUIRE(at != std::string::npos);
    write(all.replace(at, from.size(), to));
  }
};

void write_calls(const std::string& path, std::uint32_t splits) {
  CallsWriter writer(path, "0.1.0");
  for (const char* line : kCases) {
    reference::Problem problem = reference::make_problem(reference::parse_case(line));
    std::vector<std::byte> out(problem.out_bytes(), std::byte{0x5a}), lse(problem.lse_bytes());
    xqacheck_problem view = problem.view(out.data(), lse.empty() ? nullptr : lse.data());
    view.forced_splits = splits;
    carry_out(kRecipe, view);
    writer.add(problem, {"mmha", "1", "a GPU", line, &kRecipe, splits}, out, lse);
  }
}

}  // namespace

TEST_CASE("calls come back with inputs, outputs and the recipe, and replay equal", "[recording]") {
  const TemporaryCalls file;
  write_calls(file.path, 3);
  const std::vector<Recording> calls = read_calls(file.path);
  REQUIRE(calls.size() == 3);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    INFO(kCases[i]);
    CHECK(calls[i].name == kCases[i]);
    CHECK(calls[i].declared.family == "mmha");
    CHECK(calls[i].problem.description.forced_splits == 3);
    CHECK(calls[i].out_hash.empty() == (i < 2));
    const Replay result = replay(calls[i]);
    CHECK(result.equal());
    CHECK(result.elements > 0);
    CHECK((result.lse_values > 0) == (i < 2));
  }
  // Another split count rounds otherwise where a sub-sequence has several tiles: the comparison can fail.
  std::vector<Recording> other = read_calls(file.path);
  other[2].problem.description.forced_splits = 1;
  CHECK(replay(other[2]).differing == replay(other[2]).elements);
}

TEST_CASE("one wrong bit of an output or of an LSE is seen", "[recording]") {
  const TemporaryCalls file;
  write_calls(file.path, 1);
  const std::string good = file.text();
  const auto flip = [&](const std::string& key) {
    const auto at = good.find(key) + key.size();
    const std::string digit(1, good[at]);
    file.write(good);
    file.replace(key + digit, key + (digit == "0" ? "1" : "0"));
  };
  flip("\"out\":\"");
  CHECK(replay(read_calls(file.path)[0]).differing == 1);
  flip("\"lse\":\"");
  CHECK(replay(read_calls(file.path)[0]).lse_differing == 1);
  flip("\"out_xxh128\":\"");
  CHECK_FALSE(replay(read_calls(file.path)[2]).equal());
}

TEST_CASE("damaged calls files are refused with line and field", "[recording]") {
  const TemporaryCalls file;
  write_calls(file.path, 1);
  const std::string good = file.text();
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& message) {
    file.write(good);
    file.replace(from, to);
    INFO(from << " -> " << to);
    CHECK_THROWS_WITH(read_calls(file.path), Contains(file.path) && Contains(message));
  };
  refused("xqacheck-calls/1", "xqacheck-calls/7", ":1: format");
  refused("seed=1", "seed=4", ":2: inputs: the case line gives");
  refused("\"sms\":132", "\"sms\":131", ":2: inputs");
  refused("\"sms\":132", "\"sms\":-1", ":2: sms");
  refused("heads=4/2", "heads=4/3", ":2: case: ");
  refused("\"splits\":1", "\"splits\":\"1\"", ":2: splits");
  refused("\"out\":\"", "\"out\":\"00", ":2: out: ");
  refused("\"out\":\"", "\"out\":\"0", ":2: out: an even number");
  refused("\"out\":\"", "\"out\":\"XY", ":2: out: hexadecimal");
  refused("\"out_xxh128\":\"", "\"out_xxh128\":\"0", ":4: out_xxh128");
  refused("\"kernel\":", "\"colonel\":", "kernel: a text");
  file.write(good.substr(0, good.size() / 2));
  CHECK_THROWS_WITH(read_calls(file.path), Contains("not a JSON object"));
  file.write(good.substr(0, good.find('\n') + 1));
  CHECK_THROWS_WITH(read_calls(file.path), Contains("no call"));
  CHECK_THROWS_WITH(read_calls("/nowhere.calls.jsonl"), Contains("cannot be read"));
}
