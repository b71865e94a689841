// What a probe found, as a table and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulation/arith/probe/device.h"

namespace xqacheck::arith::probe {

struct MatrixLine {
  std::string instruction, rule;  // rule: "sm_90 measured", ...
  int n;
  bool a_in_registers;
  int k_steps;
  bool c_is_zero;
  uint64_t outputs, mismatches;
  std::string first;  // mismatch, in words
};

struct ControlLine {
  std::string instruction, error;
  uint64_t outputs, noticed;
};

struct FunctionLine {
  std::string name;
  uint64_t inputs, mismatches;
  std::string first;
};

struct Report {
  Device device;
  std::string arch, driver, date, commit, tool;
  std::vector<MatrixLine> matrix;
  std::vector<ControlLine> controls;
  std::vector<FunctionLine> functions;
  std::vector<std::string> notes;

  uint64_t matrix_outputs() const;
  uint64_t mismatches() const;
  bool controls_bite() const;  // every deliberate error was noticed
};

std::string driver_version();  // of the kernel module, "unknown" where it cannot be read
std::string now_utc();         // 2026-11-30T07:00:00Z
void print_header(const Report& report);
void print_line(const MatrixLine& line);
void print_line(const ControlLine& line);
void print_line(const FunctionLine& line);
void print_summary(const Report& report);
std::string to_json(const Report& report);

}  // namespace xqacheck::arith::probe
