// Recordings as files: version 1 keeps everything, bad files are refused with the field that is wrong.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

#include "emulation/recording/replay.hpp"
#include "reference/safetensors.hpp"
#include "tests/catch.hpp"
#include "tests/emulation/recording/recorded_files.hpp"

using namespace xqacheck;
using namespace xqacheck::emulation;
using Catch::Matchers::Contains;

namespace {

struct TemporaryFile {
  std::string path = (std::filesystem::temp_directory_path() / ("recording-" + std::to_string(getpid()) + ".safetensors")).string();
  ~TemporaryFile() { std::remove(path.c_str()); }
};

xqacheck_recipe declared(const Recipe& recipe, const std::string& parameters) {
  return {name_of(recipe.family), "sm_90", "13.0", parameters.c_str()};
}

// Writes a fixture again as version 1 and gives the file's contents to `change` first.
template <class Change>
void rewrite(const std::string& to, const Recording& recording, Change change) {
  const std::string parameters = print_parameters(*recording.recipe);
  const xqacheck_recipe recipe = declared(*recording.recipe, parameters);
  RecordingSource source{recording.kernel, "1", "NVIDIA H200", "a case", &recipe, recording.problem.description.forced_splits};
  write_recording(to, recording.problem, source, recording.out, {});
  const auto file = reference::Safetensors::read(to);
  std::map<std::string, std::string> metadata = file.metadata();
  std::vector<reference::TensorToWrite> tensors;
  for (const auto& tensor : file.tensors()) {
    tensors.push_back({tensor.name, tensor.dtype, tensor.shape, file.data(tensor), tensor.end - tensor.begin});
  }
  change(metadata, tensors);
  reference::write_safetensors(to, tensors, metadata);
}

const auto kUnchanged = [](auto&, auto&) {};

}  // namespace

TEST_CASE("version 1 keeps the problem, the recipe and the output", "[recording]") {
  for (const std::string& path : tests::fixture_recordings()) {
    const Recording before = read_recording(path);
    INFO(before.name);
    const TemporaryFile file;
    rewrite(file.path, before, kUnchanged);
    const Recording after = read_recording(file.path);
    CHECK(after.out == before.out);
    CHECK(*after.recipe == *before.recipe);
    CHECK(after.problem.description.q_scale.value == before.problem.description.q_scale.value);
    CHECK(after.problem.description.window == before.problem.description.window);
    CHECK(replay(after).equal());
  }
}

TEST_CASE("a recording that contradicts itself is refused by name", "[recording]") {
  const Recording recording = read_recording(tests::source_dir() +
                                             "/fixtures/recorded/129_hgmma_bf16_kv16_d48g3h1_p16_sink_peaky_s4.safetensors");
  const auto refused = [&](auto change) {
    const TemporaryFile file;
    rewrite(file.path, recording, change);
    try {
      read_recording(file.path);
    } catch (const RecordingError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(refused(kUnchanged) == "accepted");
  CHECK_THAT(refused([](auto& m, auto&) { m["format"] = "xqacheck-recording/9"; }), Contains("xqacheck-recording/9"));
  CHECK_THAT(refused([](auto& m, auto&) { m.erase("q_heads"); }), Contains("q_heads"));
  CHECK_THAT(refused([](auto& m, auto&) { m["head_dim"] = "many"; }), Contains("head_dim") && Contains("many"));
  CHECK_THAT(refused([](auto& m, auto&) { m["kv_heads"] = "2"; }), Contains("q_heads"));
  CHECK_THAT(refused([](auto& m, auto&) { m["requests"] = "20"; }), Contains("total_rows"));
  CHECK_THAT(refused([](auto& m, auto&) { m["k_stride_page"] = "999999"; }), Contains("tensor k"));
  CHECK_THAT(refused([](auto& m, auto&) { m["k_stride_token"] = "-48"; }), Contains("stride -48"));
  CHECK_THAT(refused([](auto& m, auto&) { m["max_seq_len"] = "100"; }), Contains("seq_lens[0]"));
  CHECK_THAT(refused([](auto& m, auto&) { m["pages_in_pool"] = "3"; }), Contains("is not a page of the pool"));
  CHECK_THAT(refused([](auto&, auto& tensors) {
    std::erase_if(tensors, [](const auto& tensor) { return tensor.name == "seq_lens"; });
  }), Contains("seq_lens"));
}

TEST_CASE("no recordings is an error, not a pass", "[recording]") {
  CHECK_THROWS_WITH(find_recordings({"/nowhere/at/all"}), Contains("/nowhere/at/all"));
  CHECK_THROWS_WITH(find_recordings({tests::source_dir() + "/cmake"}), Contains("no .safetensors file"));
}
