#include "emulation/ptx/forms/recording.hpp"

#include <fmt/format.h>

#include <cstring>

#include "reference/safetensors.hpp"

namespace xqacheck::ptx::forms {
namespace {

constexpr const char* kFormat = "xqacheck-ptx-forms/1";

std::string field(const reference::Safetensors& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end())
    throw reference::SafetensorsError(
        fmt::format("{}: no '{}' in its metadata; record it again with `xqacheck ptx record-forms`", file.name(), key));
  return found->second;
}

}  // namespace

std::string kernel_hash(const Form& form) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a: guards against mistakes, not against anybody
  for (const char c : kernel_text(form)) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return fmt::format("{:016x}", hash);
}

FormRecording read_form_recording(const std::string& path) {
  const reference::Safetensors file = reference::Safetensors::read(path);
  if (field(file, "format") != kFormat)
    throw reference::SafetensorsError(
        fmt::format("{}: format is '{}', not '{}'", path, field(file, "format"), kFormat));
  FormRecording recording;
  const std::string seed = field(file, "seed");
  char* end = nullptr;
  recording.seed = std::strtoull(seed.c_str(), &end, 10);
  if (seed.empty() || *end != 0)
    throw reference::SafetensorsError(fmt::format("{}: seed '{}' is no number", path, seed));
  recording.device = field(file, "device");
  recording.driver = field(file, "driver");
  for (const reference::FileTensor& tensor : file.tensors()) {
    const std::byte* data = file.data(tensor);
    recording.outputs[tensor.name] = std::vector<std::byte>(data, data + (tensor.end - tensor.begin));
    recording.hashes[tensor.name] = field(file, "kernel " + tensor.name);
  }
  for (const auto& [key, value] : file.metadata())
    if (key.starts_with("refused ")) recording.refused[key.substr(8)] = value;
  return recording;
}

void write_form_recording(const std::string& path, const FormRecording& recording) {
  std::map<std::string, std::string> metadata{{"format", kFormat},
                                              {"seed", std::to_string(recording.seed)},
                                              {"device", recording.device},
                                              {"driver", recording.driver}};
  std::vector<reference::TensorToWrite> tensors;
  for (const auto& [name, bytes] : recording.outputs) {
    tensors.push_back({name, reference::FileDtype::u8, {bytes.size()}, bytes.data(), bytes.size()});
    metadata["kernel " + name] = recording.hashes.at(name);
  }
  for (const auto& [name, why] : recording.refused) metadata["refused " + name] = why;
  reference::write_safetensors(path, tensors, metadata);
}

OutputDifference compare_outputs(const Form& form, std::span<const std::uint64_t> inputs,
                                 std::span<const std::byte> actual, std::span<const std::byte> wanted) {
  OutputDifference difference;
  if (actual.size() != wanted.size()) {
    difference.count = kItems;
    difference.first = fmt::format("{} bytes, expected {}", actual.size(), wanted.size());
    return difference;
  }
  for (std::size_t r = 0; r < form.out.size(); ++r) {
    const std::uint32_t width = bytes_of(form.out[r]);
    for (std::uint32_t i = 0; i < kItems; ++i) {
      const std::uint64_t offset = output_offset(form, r) + std::uint64_t{width} * i;
      std::uint64_t is = 0, should = 0;
      std::memcpy(&is, actual.data() + offset, width);
      std::memcpy(&should, wanted.data() + offset, width);
      if (is == should) continue;
      if (difference.count++ != 0) continue;
      difference.first = fmt::format("result {} of item {}: 0x{:x}, expected 0x{:x}; operands", r, i, is, should);
      for (std::size_t k = 0; k < form.in.size(); ++k)
        difference.first += fmt::format(" 0x{:x}", inputs[k * kItems + i]);
    }
  }
  return difference;
}

}  // namespace xqacheck::ptx::forms
