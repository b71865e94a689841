// The recorded runs of the public kernels: every output element and every semaphore, bit for bit.
#include "emulation/recording/replay.hpp"

#include <cstring>

#include "emulation/kernels/emulate.hpp"
#include "tests/catch.hpp"
#include "tests/emulation/recording/recorded_files.hpp"

using namespace xqacheck;
using namespace xqacheck::emulation;

TEST_CASE("every recorded output is reproduced bit for bit", "[replay]") {
  const std::vector<std::string> files = tests::all_recordings();
  REQUIRE(files.size() >= 32);
  for (const std::string& path : files) {
    const Recording recording = read_recording(path);
    INFO(recording.name);
    const Replay result = replay(recording);
    CHECK(result.elements * 1u >= recording.out.size() / 2);
    CHECK(result.differing == 0);
    CHECK(result.semaphores_equal);
    // The plan is that of the public launcher, not a number read from the file.
    CHECK(result.own_plan == recording.problem.description.forced_splits);
  }
}

TEST_CASE("a replay sees a single wrong bit and says where", "[replay]") {
  Recording recording = read_recording(tests::fixture_recordings().front());
  const xqacheck_problem& d = recording.problem.description;
  REQUIRE(d.requests > 1);
  // Last element of the second request's first head.
  const std::size_t element = (std::size_t{d.q_heads}) * d.head_dim + d.head_dim - 1;
  recording.out[element * 2] ^= std::byte{1};
  const Replay result = replay(recording);
  CHECK(result.differing == 1);
  REQUIRE(result.first);
  CHECK(result.first->request == 1);
  CHECK(result.first->head == 0);
  CHECK(result.first->dim == d.head_dim - 1);
  CHECK(result.first->ulps == 1);
  CHECK((result.first->recorded ^ result.first->emulated) == 1);
}

TEST_CASE("results do not depend on the number of threads", "[replay]") {
  for (const std::string& path : tests::fixture_recordings()) {
    const Recording recording = read_recording(path);
    if (recording.problem.description.forced_splits == 1) continue;
    for (const int threads : {1, 3, 8}) CHECK(replay(recording, threads).equal());
  }
}

TEST_CASE("ulps are steps on the grid of the format", "[replay]") {
  CHECK(ulps_between(XQACHECK_BF16, 0x3f80, 0x3f81) == 1);
  CHECK(ulps_between(XQACHECK_FP16, 0x0000, 0x8000) == 1);  // +0 and -0 are different bits
  CHECK(ulps_between(XQACHECK_FP16, 0x0001, 0x8001) == 3);
  CHECK(ulps_between(XQACHECK_E4M3, 0x7e, 0xfe) == 253);
  CHECK(value_of_bits(XQACHECK_E4M3, 0x7e) == 448);
}

TEST_CASE("scratch may hold anything before a launch, and semaphores return to zero", "[replay]") {
  const Recording recording = read_recording(tests::source_dir() +
                                             "/fixtures/recorded/097_hmma_bf16_kv16_d128g5h1_p32_sd_normal_s2.safetensors");
  std::vector<std::byte> out(recording.out.size());
  xqacheck_problem problem = recording.problem.view(out.data(), nullptr);
  const Recipe recipe = hmma_recipe();
  const ScratchLayout layout = scratch_layout(recipe, problem);
  REQUIRE(layout.bytes > 0);
  std::vector<std::uint32_t> semaphores(semaphore_count(recipe, problem));
  for (const auto filling : {std::byte{0}, std::byte{0xff}, std::byte{0x7b}}) {
    std::vector<std::byte> scratch(layout.bytes, filling);
    emulate(recipe, problem, scratch.data(), semaphores.data());
    CHECK(out == recording.out);
    for (const std::uint32_t word : semaphores) CHECK(word == 0);
  }
}
