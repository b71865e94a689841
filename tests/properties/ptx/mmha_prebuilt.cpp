// The PTX of MMHA that fixtures/ptx holds is that of the present source. `test_properties_ptx "[.update]"` writes it anew
// (needs NVRTC).
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/jit/prebuilt.hpp"
#include "kernels/mmha/source.hpp"
#include "tests/catch.hpp"

namespace xqacheck::kernels {
namespace {

// The shapes of fixtures/ptx/mmha-cases.txt.
std::vector<mmha::Shape> shapes() {
  return {{64, 64, XQACHECK_BF16, XQACHECK_BF16, XQACHECK_BF16}, {64, 64, XQACHECK_FP16, XQACHECK_FP16, XQACHECK_FP16},
          {32, 32, XQACHECK_BF16, XQACHECK_E4M3, XQACHECK_BF16}, {64, 64, XQACHECK_FP16, XQACHECK_INT8, XQACHECK_FP16},
          {128, 128, XQACHECK_BF16, XQACHECK_E4M3, XQACHECK_E4M3}, {80, 80, XQACHECK_FP16, XQACHECK_E4M3, XQACHECK_FP16}};
}

std::filesystem::path folder() { return std::filesystem::path(std::getenv("XQACHECK_SOURCE_DIR")) / "fixtures/ptx"; }

TEST_CASE("The prebuilt PTX belongs to the present source of MMHA") {
  for (const auto& shape : shapes()) {
    const auto request = mmha::compile_request(shape, "compute_90a");
    INFO("head dim " << shape.head_dim << ", kv " << shape.kv << ": run test_properties_ptx \"[.update]\" where NVRTC is");
    CHECK(std::filesystem::exists(folder() / jit::prebuilt_name(request)));
  }
  setenv("XQACHECK_PREBUILT_PTX", folder().c_str(), 1);
  const auto found = jit::find_prebuilt(mmha::compile_request(shapes().front(), "compute_90a"));
  REQUIRE(found != nullptr);
  CHECK(found->image.back() == std::byte{0});
  CHECK(jit::find_prebuilt(mmha::compile_request(shapes().front(), "sm_90a")) == nullptr);
  auto changed = mmha::compile_request(shapes().front(), "compute_90a");
  changed.source.text += " ";
  CHECK(jit::find_prebuilt(changed) == nullptr);
}

TEST_CASE("Write the prebuilt PTX", "[.update]") {
  for (const auto& entry : std::filesystem::directory_iterator(folder()))
    if (entry.path().extension() == ".ptx") std::filesystem::remove(entry.path());
  for (const auto& shape : shapes()) {
    const auto request = mmha::compile_request(shape, "compute_90a");
    jit::write_prebuilt(folder(), request, jit::compile(request));
  }
}

}  // namespace
}  // namespace xqacheck::kernels
