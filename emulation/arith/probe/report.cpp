#include "emulation/arith/probe/report.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace xqacheck::arith::probe {

uint64_t Report::matrix_outputs() const {
  uint64_t sum = 0;
  for (const MatrixLine& line : matrix) sum += line.outputs;
  return sum;
}

uint64_t Report::mismatches() const {
  uint64_t sum = 0;
  for (const MatrixLine& line : matrix) sum += line.mismatches;
  for (const FunctionLine& line : functions) sum += line.mismatches;
  return sum;
}

bool Report::controls_bite() const {
  for (const ControlLine& line : controls) {
    if (line.noticed == 0) return false;
  }
  return true;
}

std::string driver_version() {
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  ..."
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word) {
    const bool looks_right =
        word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos;
    if (looks_right) return word;
  }
  return "unknown";
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

namespace {

std::string version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

void print_first(const std::string& first) {
  if (!first.empty()) fmt::print("      first mismatch: {}\n", first);
}

}  // namespace

void print_header(const Report& report) {
  fmt::print("device {} ({}), driver {}, CUDA driver API {}, runtime {}, built with toolkit {}\n", report.device.name,
             report.arch, report.driver, version(report.device.driver), version(report.device.runtime),
             version(report.device.built_with));
  fmt::print("{:28} {:>4} {:>9} {:>7} {:>6} {:>12} {:>11}  compared with\n", "instruction", "N", "A", "k-steps", "C",
             "outputs", "mismatches");
}

void print_line(const MatrixLine& line) {
  fmt::print("{:28} {:>4} {:>9} {:>7} {:>6} {:>12} {:>11}  {}\n", line.instruction, line.n,
             line.a_in_registers ? "registers" : "shared", line.k_steps, line.c_is_zero ? "zero" : "drawn",
             line.outputs, line.mismatches, line.rule);
  print_first(line.first);
  std::fflush(stdout);
}

void print_line(const ControlLine& line) {
  fmt::print("{:28} {:42} {:>12} {:>11}\n", line.instruction, line.error, line.outputs, line.noticed);
}

void print_line(const FunctionLine& line) {
  fmt::print("{:58} {:>14} {:>11}\n", line.name, line.inputs, line.mismatches);
  print_first(line.first);
  std::fflush(stdout);
}

void print_summary(const Report& report) {
  fmt::print("\n{} matrix outputs, {} functions, {} mismatches; deliberate errors {}\n", report.matrix_outputs(),
             report.functions.size(), report.mismatches(),
             report.controls.empty()  ? "not tried"
             : report.controls_bite() ? "all noticed"
                                      : "NOT all noticed: the zero above proves nothing");
  for (const std::string& note : report.notes) fmt::print("note: {}\n", note);
}

std::string to_json(const Report& report) {
  using nlohmann::ordered_json;
  ordered_json out;
  out["kind"] = "xqacheck probe";
  out["tool"] = report.tool;
  out["commit"] = report.commit;
  out["date"] = report.date;
  out["device"] = report.device.name;
  out["arch"] = report.arch;
  out["driver"] = report.driver;
  out["cuda_driver_api"] = version(report.device.driver);
  out["cuda_runtime"] = version(report.device.runtime);
  out["toolkit"] = version(report.device.built_with);
  out["matrix_outputs"] = report.matrix_outputs();
  out["mismatches"] = report.mismatches();
  out["matrix"] = ordered_json::array();
  for (const MatrixLine& line : report.matrix) {
    out["matrix"].push_back({{"instruction", line.instruction},
                             {"n", line.n},
                             {"a", line.a_in_registers ? "registers" : "shared"},
                             {"k_steps", line.k_steps},
                             {"c", line.c_is_zero ? "zero" : "drawn"},
                             {"outputs", line.outputs},
                             {"mismatches", line.mismatches},
                             {"rule", line.rule}});
  }
  out["deliberate_errors"] = ordered_json::array();
  for (const ControlLine& line : report.controls) {
    out["deliberate_errors"].push_back({{"instruction", line.instruction},
                                        {"error", line.error},
                                        {"outputs", line.outputs},
                                        {"noticed", line.noticed}});
  }
  out["functions"] = ordered_json::array();
  for (const FunctionLine& line : report.functions) {
    out["functions"].push_back({{"name", line.name}, {"inputs", line.inputs}, {"mismatches", line.mismatches}});
  }
  out["notes"] = report.notes;
  return out.dump(1) + "\n";
}

}  // namespace xqacheck::arith::probe
