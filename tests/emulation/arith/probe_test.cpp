// The probe with a stand-in for the GPU: the plain rule, right or deliberately wrong. Its CPU side must find no
// mismatch in the first, report the second, and name the parameters that fit.
#include "emulation/arith/probe/probe.hpp"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "emulation/arith/packed.hpp"
#include "emulation/arith/plain/tile.hpp"
#include "emulation/arith/probe/device.h"
#include "emulation/arith/probe/draw.h"
#include "emulation/arith/probe/expected.hpp"
#include "tests/catch.hpp"
#include "tests/emulation/arith/drawn_tile.hpp"

namespace xqacheck::arith::probe {

namespace {

// What the stand-in is; tests change it.
struct StandIn {
  bool present = true;
  int major = 9;
  int minor = 0;
  int fraction_bits_delta = 0;
  bool wrong_ex2 = false;
} stand_in;

}  // namespace

const char* open_device(Device* device) {
  if (!stand_in.present) return "no CUDA device";
  std::strcpy(device->name, "stand-in");
  device->major = stand_in.major;
  device->minor = stand_in.minor;
  device->driver = device->runtime = device->built_with = 13000;
  return nullptr;
}

const char* host_buffer(size_t bytes, uint32_t** buffer) {
  *buffer = static_cast<uint32_t*>(std::malloc(bytes));
  return nullptr;
}

const char* run_matrix(const MatrixRun& run, uint32_t* out) {
  bool substitute = false;
  MatrixInstruction rule = expected_rule(run, "sm_90", &substitute);
  rule.rule.fraction_bits += stand_in.fraction_bits_delta;
  const auto rows = static_cast<size_t>(rows_of(run));
  const auto columns = static_cast<size_t>(run.n);
  for (uint32_t i = 0; i < run.tiles; ++i) {
    const DrawnTile tile(rule, run.kind, run.first_tile + i, rows, columns, static_cast<size_t>(rule.k * run.k_steps),
                         run.seed);
    std::vector<uint32_t> c = tile.c;
    if (run.c_is_zero) c.assign(c.size(), 0);
    plain::multiply_tile(rule, tile.view_a(), tile.view_b(), c.data(), columns);
    std::copy(c.begin(), c.end(), out + i * c.size());
  }
  return nullptr;
}

const char* run_function(Function function, uint32_t first, size_t count, uint32_t* out) {
  constexpr uint32_t (*kUnary[])(uint32_t) = {
      ex2_approx_ftz_f32, rcp_approx_ftz_f32, rsqrt_approx_ftz_f32, sqrt_approx_ftz_f32, lg2_approx_ftz_f32,
      ex2_approx_f32,     rcp_approx_f32,     rsqrt_approx_f32,     sqrt_approx_f32,     lg2_approx_f32};
  for (size_t i = 0; i < count; ++i) {
    const uint32_t x = first + static_cast<uint32_t>(i);
    const uint32_t a = draw::f32_operand(0, x), b = draw::f32_operand(1, x), c = draw::f32_operand(2, x);
    switch (function) {
      case kE4m3FromF32:
        out[i] = cvt_rn_satfinite_e4m3x2_f32(x, x);
        break;
      case kF16FromF32:
        out[i] = cvt_rn_f16_f32(x);
        break;
      case kBf16FromF32:
        out[i] = cvt_rn_bf16_f32(x);
        break;
      case kRcpRnFtz:
        out[i] = rcp_rn_ftz_f32(x);
        break;
      case kMulFtz:
        out[i] = mul_rn_ftz_f32(a, b);
        break;
      case kAddFtz:
        out[i] = add_rn_ftz_f32(a, b);
        break;
      case kFmaFtz:
        out[i] = fma_rn_ftz_f32(a, b, c);
        break;
      default:
        out[i] = kUnary[function](x);
        break;
    }
    if (stand_in.wrong_ex2 && function == kEx2Ftz && x == 77) out[i] ^= 1;
  }
  return nullptr;
}

namespace {

struct Result {
  int code;
  nlohmann::json json;
};

Result probe(std::vector<const char*> arguments) {
  const auto path =
      std::filesystem::temp_directory_path() / ("xqacheck_probe_test_" + std::to_string(std::rand()) + ".json");
  const std::string file = path.string();
  arguments.insert(arguments.begin(), "probe");
  arguments.push_back("--json");
  arguments.push_back(file.c_str());
  Result result{run_probe(static_cast<int>(arguments.size()), arguments.data()), {}};
  std::ifstream stream(path);
  if (stream.peek() != std::ifstream::traits_type::eof()) result.json = nlohmann::json::parse(stream);
  std::filesystem::remove(path);
  return result;
}

TEST_CASE("a device that follows the rules: no mismatch, every deliberate error noticed") {
  stand_in = {};
  // The floor shows in one output of several thousand, hence the larger number.
  const Result result = probe({"--outputs", "8e6", "--no-functions", "--only", "m16n8k16.f32.bf16"});
  CHECK(result.code == 0);
  CHECK(result.json["mismatches"] == 0);
  CHECK(result.json["deliberate_errors"].size() == 4);
  for (const auto& line : result.json["deliberate_errors"]) CHECK(line["noticed"] > 0);
}

TEST_CASE("the whole plan: every instruction, N and function, no mismatch") {
  stand_in = {};
  const Result result = probe({"--outputs", "1e5", "--inputs", "2000"});
  CHECK(result.json["mismatches"] == 0);
  CHECK(result.json["functions"].size() == kFunctions);
  std::vector<std::string> instructions;
  for (const auto& line : result.json["matrix"]) instructions.push_back(line["instruction"]);
  for (const char* name : {"mma.sync.m16n8k8.f32.f16", "mma.sync.m16n8k8.f32.bf16", "mma.sync.m16n8k16.f32.f16",
                           "mma.sync.m16n8k16.f32.bf16", "mma.sync.m16n8k32.f32.e4m3", "mma.sync.m16n8k32.s32.s8",
                           "wgmma.m64nNk16.f32.f16", "wgmma.m64nNk16.f32.bf16", "wgmma.m64nNk32.f32.e4m3"}) {
    CHECK(std::count(instructions.begin(), instructions.end(), name) >= 3);
  }
  CHECK(result.json["deliberate_errors"].size() > 20);
}

TEST_CASE("a device with one fraction bit less is caught and its width named") {
  stand_in = {};
  stand_in.fraction_bits_delta = -1;
  const Result result = probe({"--outputs", "3e5", "--no-functions", "--only", "m16n8k16.f32.bf16"});
  CHECK(result.code == 1);
  CHECK(result.json["mismatches"] > 0);
  REQUIRE(result.json["notes"].size() >= 1);
  CHECK_THAT(result.json["notes"][0].get<std::string>(),
             Catch::Contains("fits all") && Catch::Contains("groups of 16, F = 24"));
}

TEST_CASE("one wrong function result is a mismatch") {
  stand_in = {};
  stand_in.wrong_ex2 = true;
  const Result result = probe({"--no-matrices", "--only", "ex2.approx.ftz", "--inputs", "1000"});
  CHECK(result.code == 1);
  CHECK(result.json["mismatches"] == 1);
}

TEST_CASE("other architectures use their own row, and say where there is none") {
  stand_in = {};
  stand_in.major = 12;
  const Result result = probe({"--outputs", "1e5", "--no-functions"});
  bool own = false, substitute = false;
  for (const auto& line : result.json["matrix"]) {
    own |= line["rule"] == "sm_120 published";
    substitute |= line["rule"] == "sm_90 measured (no row for this GPU)";
    CHECK_THAT(line["instruction"].get<std::string>(), !Catch::Contains("wgmma"));
  }
  CHECK(own);
  CHECK(substitute);
}

TEST_CASE("no device is exit code 3, bad options 2") {
  stand_in = {};
  stand_in.present = false;
  CHECK(probe({}).code == 3);
  CHECK(probe({"--outputs", "none"}).code == 2);
  CHECK(probe({"--no-such-option"}).code == 2);
}

}  // namespace
}  // namespace xqacheck::arith::probe
