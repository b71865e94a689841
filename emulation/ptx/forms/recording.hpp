// Outputs of the micro-kernels as a device wrote them: one .safetensors file, one U8 tensor a form.
//
// Metadata: format = "xqacheck-ptx-forms/1", seed, device, driver. Every tensor belongs to the text of its kernel: its
// hash is kept, so that a changed kernel is not compared with an old output.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulation/ptx/forms/form.hpp"

namespace xqacheck::ptx::forms {

struct FormRecording {
  std::uint64_t seed = 0;
  std::string device, driver;
  std::map<std::string, std::vector<std::byte>> outputs;  // by name of the form
  std::map<std::string, std::string> hashes;              // kernel_hash, by name
  std::map<std::string, std::string> refused;             // forms that the device did not take, with its words
};

std::string kernel_hash(const Form& form);  // 16 hex digits over the text of the kernel

// Throw reference::SafetensorsError with the file and the field.
FormRecording read_form_recording(const std::string& path);
void write_form_recording(const std::string& path, const FormRecording& recording);

// Where two outputs of a form differ: "result 0 of item 17: 0x…, expected 0x…"; empty if nowhere. `count` differing
// results.
struct OutputDifference {
  std::uint64_t count = 0;
  std::string first;
};
OutputDifference compare_outputs(const Form& form, std::span<const std::uint64_t> inputs,
                                 std::span<const std::byte> actual, std::span<const std::byte> wanted);

}  // namespace xqacheck::ptx::forms
