// The PTX that fixtures/ptx holds, of MMHA and of the harness's own kernels, is that of the present sources.
// `test_properties_ptx "[.update]"` writes it anew (needs NVRTC).
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "kernels/jit/prebuilt.hpp"
#include "kernels/mmha/source.hpp"
#include "properties/corpus.hpp"
#include "properties/cuda/helper_kernels.hpp"
#include "reference/problem.hpp"
#include "reference/run_line.hpp"
#include "tests/catch.hpp"

namespace xqacheck::kernels {
namespace {

// The shapes of fixtures/ptx/mmha-cases.txt.
std::vector<mmha::Shape> shapes() {
  return {
      {64, 64, XQACHECK_BF16, XQACHECK_BF16, XQACHECK_BF16},   {64, 64, XQACHECK_FP16, XQACHECK_FP16, XQACHECK_FP16},
      {32, 32, XQACHECK_BF16, XQACHECK_E4M3, XQACHECK_BF16},   {64, 64, XQACHECK_FP16, XQACHECK_INT8, XQACHECK_FP16},
      {128, 128, XQACHECK_BF16, XQACHECK_E4M3, XQACHECK_E4M3}, {80, 80, XQACHECK_FP16, XQACHECK_E4M3, XQACHECK_FP16}};
}

std::vector<jit::CompileRequest> requests() {
  std::vector<jit::CompileRequest> all{properties::cuda::HelperKernels::compile_request("compute_90a")};
  for (const auto& shape : shapes()) all.push_back(mmha::compile_request(shape, "compute_90a"));
  return all;
}

std::filesystem::path folder() {
  return std::filesystem::path(std::getenv("XQACHECK_SOURCE_DIR")) / "fixtures/ptx";
}

TEST_CASE("The prebuilt PTX belongs to the present sources") {
  for (const auto& request : requests()) {
    INFO(request.source.name << ": run test_properties_ptx \"[.update]\" where NVRTC is");
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

// What ptx_mmha_bits judges in CI, where every case must run: 200 at least, and with PTX in the tree for each.
TEST_CASE("The gate of MMHA has 200 distinct cases of prebuilt shapes") {
  std::set<std::string> lines;
  for (const auto& entry : properties::read_corpus((folder() / "mmha-cases.txt").string())) {
    lines.insert(reference::print_run_line(entry.run));
    const auto shape = mmha::shape_of(reference::make_problem(entry.run.subject).description);
    INFO(entry.place);
    CHECK(std::filesystem::exists(folder() / jit::prebuilt_name(mmha::compile_request(shape, "compute_90a"))));
  }
  CHECK(lines.size() >= 200);
}

TEST_CASE("Write the prebuilt PTX", "[.update]") {
  for (const auto& entry : std::filesystem::directory_iterator(folder()))
    if (entry.path().extension() == ".ptx") std::filesystem::remove(entry.path());
  for (const auto& request : requests()) jit::write_prebuilt(folder(), request, jit::compile(request));
}

}  // namespace
}  // namespace xqacheck::kernels
