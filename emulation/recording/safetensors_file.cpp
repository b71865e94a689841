#include "emulation/recording/safetensors_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace xqacheck::emulation {

namespace {

constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // the format's own limit

std::uint64_t elements_of(const std::vector<std::uint64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) {
    if (extent != 0 && count > (std::uint64_t{1} << 48) / extent) return ~std::uint64_t{0};  // no file is that large
    count *= extent;
  }
  return count;
}

}  // namespace

std::size_t element_bytes(std::string_view dtype) {
  if (dtype == "BF16" || dtype == "F16") return 2;
  if (dtype == "F32" || dtype == "I32" || dtype == "U32") return 4;
  if (dtype == "F8_E4M3" || dtype == "I8" || dtype == "U8") return 1;
  if (dtype == "F64" || dtype == "I64" || dtype == "U64") return 8;
  return 0;
}

void SafetensorsFile::fail(const std::string& message) const { throw RecordingError(path_ + ": " + message); }

SafetensorsFile SafetensorsFile::read(const std::string& path) {
  SafetensorsFile file;
  file.path_ = path;
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  const auto size = stream ? static_cast<std::streamoff>(stream.tellg()) : std::streamoff{-1};
  if (size < 0) file.fail("cannot be read");
  file.bytes_.resize(static_cast<std::size_t>(size));
  stream.seekg(0);
  if (!stream.read(reinterpret_cast<char*>(file.bytes_.data()), size)) file.fail("cannot be read");

  std::uint64_t header_bytes = 0;
  if (file.bytes_.size() < sizeof header_bytes) file.fail("too short for a .safetensors file");
  std::memcpy(&header_bytes, file.bytes_.data(), sizeof header_bytes);
  if (header_bytes > kMostHeaderBytes || header_bytes > file.bytes_.size() - sizeof header_bytes) {
    file.fail(fmt::format("header length {} does not fit into the file", header_bytes));
  }
  const auto* text = reinterpret_cast<const char*>(file.bytes_.data()) + sizeof header_bytes;
  const std::span<const std::byte> data(file.bytes_.data() + sizeof header_bytes + header_bytes,
                                        file.bytes_.size() - sizeof header_bytes - header_bytes);
  try {
    const auto header = nlohmann::json::parse(text, text + header_bytes);
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") {
        for (const auto& [key, value] : entry.items()) file.metadata_[key] = value.get<std::string>();
        continue;
      }
      FileTensor tensor;
      tensor.dtype = entry.at("dtype").get<std::string>();
      tensor.shape = entry.at("shape").get<std::vector<std::uint64_t>>();
      const auto begin = entry.at("data_offsets").at(0).get<std::uint64_t>();
      const auto end = entry.at("data_offsets").at(1).get<std::uint64_t>();
      const std::size_t bytes = element_bytes(tensor.dtype);
      if (bytes == 0) file.fail(fmt::format("tensor {}: unknown dtype {}", name, tensor.dtype));
      if (begin > end || end > data.size()) file.fail(fmt::format("tensor {}: data_offsets lie outside the file", name));
      const std::uint64_t elements = elements_of(tensor.shape);
      if (elements > data.size() || end - begin != elements * bytes) {
        file.fail(fmt::format("tensor {}: {} bytes of data, but shape and dtype need another size", name, end - begin));
      }
      tensor.data = data.subspan(begin, end - begin);
      file.tensors_[name] = tensor;
    }
  } catch (const nlohmann::json::exception& error) {
    file.fail(fmt::format("header is not valid: {}", error.what()));
  }
  return file;
}

const std::string& SafetensorsFile::text(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) fail("metadata has no '" + key + "'");
  return found->second;
}

std::string SafetensorsFile::text_or(const std::string& key, std::string_view fallback) const {
  const auto found = metadata_.find(key);
  return found == metadata_.end() ? std::string(fallback) : found->second;
}

std::int64_t SafetensorsFile::integer(const std::string& key) const {
  const std::string& value = text(key);
  std::int64_t result = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (error != std::errc{} || end != value.data() + value.size()) fail(fmt::format("metadata {}: '{}' is no integer", key, value));
  return result;
}

std::uint32_t SafetensorsFile::number(const std::string& key) const {
  const std::int64_t value = integer(key);
  if (value < 0 || value > std::int64_t{0xffffffff}) fail(fmt::format("metadata {}: {} is out of range", key, value));
  return static_cast<std::uint32_t>(value);
}

float SafetensorsFile::real(const std::string& key) const {
  const std::string& value = text(key);
  float result = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (error != std::errc{} || end != value.data() + value.size()) fail(fmt::format("metadata {}: '{}' is no number", key, value));
  return result;
}

const FileTensor* SafetensorsFile::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

const FileTensor& SafetensorsFile::tensor(const std::string& name) const {
  const FileTensor* found = find(name);
  if (found == nullptr) fail("there is no tensor '" + name + "'");
  return *found;
}

void write_safetensors(const std::string& path, const std::vector<std::pair<std::string, std::string>>& metadata,
                       const std::vector<NamedTensor>& tensors) {
  nlohmann::ordered_json header;
  for (const auto& [key, value] : metadata) header["__metadata__"][key] = value;
  std::uint64_t offset = 0;
  for (const NamedTensor& named : tensors) {
    header[named.name] = {{"dtype", named.tensor.dtype}, {"shape", named.tensor.shape},
                          {"data_offsets", {offset, offset + named.tensor.data.size()}}};
    offset += named.tensor.data.size();
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // data starts at a multiple of eight bytes

  const std::string temporary = path + ".partial";
  std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
  const std::uint64_t header_bytes = text.size();
  stream.write(reinterpret_cast<const char*>(&header_bytes), sizeof header_bytes);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  for (const NamedTensor& named : tensors) {
    stream.write(reinterpret_cast<const char*>(named.tensor.data.data()), static_cast<std::streamsize>(named.tensor.data.size()));
  }
  stream.close();
  if (!stream || std::rename(temporary.c_str(), path.c_str()) != 0) {
    std::remove(temporary.c_str());
    throw RecordingError(path + ": cannot be written");
  }
}

}  // namespace xqacheck::emulation
