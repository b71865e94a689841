#include "emulation/arith/probe/probe.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "emulation/arith/probe/draw.h"
#include "emulation/arith/probe/expected.hpp"
#include "emulation/arith/probe/fit.hpp"
#include "emulation/arith/probe/plan.hpp"
#include "emulation/arith/probe/report.hpp"

namespace {

using namespace xqacheck::arith;
using namespace xqacheck::arith::probe;

struct Options {
  double outputs = 400e6;  // over all matrix runs
  bool quick = false;
  uint64_t inputs = uint64_t{1} << 32;  // of each function
  bool matrices = true, functions = true;
  std::string only, json, commit = "unknown";
  uint64_t seed = 1;
};

void require(const char* error) {
  if (error != nullptr) throw std::runtime_error(error);
}

struct Control {
  const char* name;
  plain::DotFault fault;
  bool (*applies)(const MatrixInstruction&);
};

// Widened e4m3 cannot show zero products (their exponent is too small to cut anything off); only bf16 reaches the
// floor.
bool float_rule(const MatrixInstruction& row) {
  return row.lowering != Lowering::integer;
}
bool native_rule(const MatrixInstruction& row) {
  return row.lowering == Lowering::fused;
}
bool bf16_rule(const MatrixInstruction& row) {
  return row.operands == Format::bf16;
}
const Control kControls[] = {{"one fraction bit more", {1, false, false}, float_rule},
                             {"one fraction bit less", {-1, false, false}, float_rule},
                             {"zero products set the exponent", {0, true, false}, native_rule},
                             {"no floor of the exponent", {0, false, true}, bf16_rule}};

// All kinds of one group.
void probe_group(const MatrixGroup& group, const Options& options, uint64_t outputs, uint32_t* buffer, Report& report) {
  MatrixLine line{group.name(), "", group.n, group.a_in_registers, group.k_steps, group.c_is_zero, 0, 0, ""};
  std::vector<ControlLine> controls;
  std::vector<FitSample> samples;
  const MatrixInstruction* rule = nullptr;
  for (uint32_t kind = 0; kind < draw::kKinds; ++kind) {
    const MatrixRun run = group.run(kind, options.seed, outputs / draw::kKinds);
    bool substitute = false;
    rule = &expected_rule(run, report.arch, &substitute);
    line.rule = fmt::format("{} {}{}", rule->arch, name_of(rule->evidence), substitute ? " (no row for this GPU)" : "");
    require(run_matrix(run, buffer));
    const Comparison comparison = compare_matrix(run, *rule, buffer);
    line.outputs += comparison.outputs;
    line.mismatches += comparison.mismatches;
    if (line.first.empty()) line.first = comparison.first;
    MatrixRun few = run;
    few.tiles = 1;
    samples.push_back({few, {buffer, buffer + rows_of(few) * columns_of(few)}});
    if (!group.controls) continue;
    for (size_t i = 0; i < std::size(kControls); ++i) {
      if (controls.size() <= i) controls.push_back({line.instruction, kControls[i].name, 0, 0});
      if (!kControls[i].applies(*rule)) continue;
      controls[i].outputs += comparison.outputs;
      controls[i].noticed += count_noticed(run, *rule, buffer, kControls[i].fault);
    }
  }
  print_line(line);
  if (line.mismatches != 0 && rule->lowering != Lowering::integer) {
    report.notes.push_back(
        fmt::format("{}, N = {}, k-steps {}: {}", line.instruction, line.n, line.k_steps, fit_rule(*rule, samples)));
  }
  report.matrix.push_back(line);
  for (const ControlLine& control : controls) {
    if (control.outputs != 0) report.controls.push_back(control);
  }
}

void probe_matrices(const Options& options, Report& report) {
  const int capability = report.device.major * 10 + report.device.minor;
  const std::vector<MatrixGroup> groups = matrix_groups(capability >= 89, capability == 90);
  const auto per_group = static_cast<uint64_t>(options.outputs / static_cast<double>(groups.size()));
  // A group's tiles are at least one a kind: the largest tile is 64 x 256.
  const size_t words = std::max<size_t>(per_group / draw::kKinds + 1, 64 * 256);
  uint32_t* buffer = nullptr;
  require(host_buffer(words * sizeof(uint32_t), &buffer));
  for (const MatrixGroup& group : groups) {
    if (!options.only.empty() && group.name().find(options.only) == std::string::npos) continue;
    probe_group(group, options, per_group, buffer, report);
  }
  if (capability != 90) report.notes.push_back("wgmma is an sm_90a instruction: not probed on this device");
  if (report.controls.empty()) return;
  fmt::print("\n{:28} {:42} {:>12} {:>11}\n", "instruction", "deliberate error in the library", "outputs", "noticed");
  for (const ControlLine& line : report.controls) print_line(line);
}

// Device and CPU work on alternate chunks at the same time.
FunctionLine probe_function(Function function, uint64_t inputs, uint32_t* const (&buffers)[2], size_t chunk) {
  FunctionLine line{name_of(function), 0, 0, ""};
  const uint64_t chunks = (inputs + chunk - 1) / chunk;
  const auto count_of = [&](uint64_t i) { return static_cast<size_t>(std::min<uint64_t>(chunk, inputs - i * chunk)); };
  require(run_function(function, 0, count_of(0), buffers[0]));
  for (uint64_t i = 0; i < chunks; ++i) {
    const char* error = nullptr;
    std::thread device;
    if (i + 1 < chunks) {
      device = std::thread([&, i] {
        error = run_function(function, static_cast<uint32_t>((i + 1) * chunk), count_of(i + 1), buffers[(i + 1) % 2]);
      });
    }
    const Comparison comparison =
        compare_function(function, static_cast<uint32_t>(i * chunk), count_of(i), buffers[i % 2]);
    if (device.joinable()) device.join();
    require(error);
    line.inputs += comparison.outputs;
    line.mismatches += comparison.mismatches;
    if (line.first.empty()) line.first = comparison.first;
  }
  return line;
}

void probe_functions(const Options& options, Report& report) {
  constexpr size_t kChunk = size_t{1} << 25;  // 128 MiB of results
  uint32_t* buffers[2] = {};
  for (uint32_t*& buffer : buffers) require(host_buffer(kChunk * sizeof(uint32_t), &buffer));
  const int capability = report.device.major * 10 + report.device.minor;
  const uint64_t all = uint64_t{1} << 32;
  fmt::print("\n{:58} {:>14} {:>11}\n", "function", "inputs", "mismatches");
  for (int i = 0; i < kFunctions; ++i) {
    const auto function = static_cast<Function>(i);
    if (!options.only.empty() && std::string(name_of(function)).find(options.only) == std::string::npos) continue;
    if (function == kE4m3FromF32 && capability < 89) continue;
    // Drawn operands: as many as are worth the time; everything else: every input.
    const uint64_t inputs = std::min(options.inputs, function >= kMulFtz ? all / 8 : all);
    report.functions.push_back(probe_function(function, inputs, buffers, kChunk));
    print_line(report.functions.back());
  }
}

int run(const Options& options) {
  std::ofstream json;
  if (!options.json.empty()) {
    json.open(options.json);
    if (!json) {
      fmt::print(stderr, "xqacheck probe: --json {}: cannot be written\n", options.json);
      return 3;
    }
  }
  Report report;
  if (const char* error = open_device(&report.device)) {
    fmt::print(stderr, "xqacheck probe: no CUDA device can be used: {}\n", error);
    return 3;
  }
  report.arch = fmt::format("sm_{}{}", report.device.major, report.device.minor);
  report.driver = driver_version();
  report.date = now_utc();
  report.commit = options.commit;
  report.tool = XQACHECK_VERSION;
  print_header(report);
  if (options.matrices) probe_matrices(options, report);
  if (options.functions) probe_functions(options, report);
  print_summary(report);
  if (json.is_open()) json << to_json(report);
  return report.mismatches() == 0 && report.controls_bite() ? 0 : 1;
}

}  // namespace

namespace xqacheck::arith::probe {

int run_probe(int argc, const char* const* argv) {
  Options options;
  CLI::App app{"Compares this GPU's matrix and special-function units with the arithmetic library, bit for bit",
               "xqacheck probe"};
  app.add_option("--outputs", options.outputs, "Matrix outputs in all (default 4e8)")->check(CLI::Range(1e4, 1e12));
  app.add_flag("--quick", options.quick, "A few seconds: 2e7 matrix outputs, a part of the inputs of each function");
  app.add_option("--inputs", options.inputs, "Inputs of each scalar function (default all, 2^32)")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32));
  app.add_option("--only", options.only, "Only instructions and functions whose name contains this");
  app.add_option("--seed", options.seed, "Seed of the drawn operands");
  app.add_option("--json", options.json, "Write the result to this file too");
  app.add_option("--commit", options.commit, "Commit of the library, for the record");
  bool no_matrices = false, no_functions = false;
  app.add_flag("--no-matrices", no_matrices, "Leave the matrix instructions out");
  app.add_flag("--no-functions", no_functions, "Leave the scalar functions out");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  options.matrices = !no_matrices;
  options.functions = !no_functions;
  if (options.quick && app.count("--outputs") == 0) options.outputs = 2e7;
  if (options.quick && app.count("--inputs") == 0) options.inputs = uint64_t{1} << 25;
  try {
    return run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "xqacheck probe: the device failed: {}\n", error.what());
    return 3;
  }
}

}  // namespace xqacheck::arith::probe
