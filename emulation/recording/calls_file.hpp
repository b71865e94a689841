// Calls file: many recorded calls in one small text file. The inputs of a call are a pure function of its case line, so
// only their hash is kept; outputs are kept in full where they are small and as a hash otherwise.
//
// JSON Lines, described in doc/recordings.md: one header with `format` = "xqacheck-calls/1", then one line a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "emulation/recording/recording.hpp"

namespace xqacheck::emulation {

// Outputs of up to so many bytes are kept in full: enough for a first difference with its bits, while 100 calls stay
// well below a megabyte.
inline constexpr std::size_t kWholeOutputBytes = 4096;

// 32 hex digits (XXH3, 128 bits) over every scalar and every input tensor of a problem.
std::string hash_of_inputs(const reference::Problem& problem);
std::string hash_of_bytes(std::span<const std::byte> bytes);
// The output with zeros between its elements, where strides leave gaps: a kernel writes no gap, so they say nothing.
std::vector<std::byte> with_empty_gaps(const xqacheck_problem& problem, std::span<const std::byte> out);

class CallsWriter {
 public:
  // The first call decides kernel, version, device and recipe of the file. Throws RecordingError.
  CallsWriter(const std::string& path, const std::string& tool);

  void add(const reference::Problem& problem, const RecordingSource& source, std::span<const std::byte> out,
           std::span<const std::byte> lse);

 private:
  void line(const std::string& text);
  std::string path_, tool_;
  std::ofstream file_;
  bool has_header_ = false;
};

// By its name: calls files end in ".calls.jsonl".
bool is_calls_file(const std::string& path);

// Every call with its inputs made again from the case line. Throws RecordingError naming file and line: malformed text,
// inputs that are no longer those that were recorded, outputs of another size.
std::vector<Recording> read_calls(const std::string& path);

}  // namespace xqacheck::emulation
