#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/safetensors.hpp"

namespace xqacheck::reference {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string header_of(const std::vector<TensorToWrite>& tensors, const std::map<std::string, std::string>& metadata) {
  std::vector<std::string> members;
  if (!metadata.empty()) {
    std::vector<std::string> entries;
    for (const auto& [key, value] : metadata) entries.push_back(quoted(key) + ":" + quoted(value));
    members.push_back(fmt::format("\"__metadata__\":{{{}}}", fmt::join(entries, ",")));
  }
  std::set<std::string> names = {"__metadata__"};
  std::uint64_t at = 0;
  for (const TensorToWrite& t : tensors) {
    if (!names.insert(t.name).second) throw SafetensorsError("writing: the tensor name '" + t.name + "' is taken");
    std::uint64_t bytes = bytes_of(t.dtype);
    for (std::uint64_t n : t.shape) bytes *= n;
    if (bytes != t.bytes) {
      throw SafetensorsError(fmt::format("writing: tensor '{}' of shape [{}] needs {} bytes and has {}", t.name,
                                         fmt::join(t.shape, ", "), bytes, t.bytes));
    }
    members.push_back(fmt::format("{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", quoted(t.name),
                                  name_of(t.dtype), fmt::join(t.shape, ","), at, at + bytes));
    at += bytes;
  }
  std::string header = fmt::format("{{{}}}", fmt::join(members, ","));
  header.append((8 - header.size() % 8) % 8, ' ');  // the data starts 8-byte aligned, as the format asks
  return header;
}

}  // namespace

std::vector<std::byte> safetensors_bytes(const std::vector<TensorToWrite>& tensors,
                                         const std::map<std::string, std::string>& metadata) {
  const std::string header = header_of(tensors, metadata);
  std::vector<std::byte> bytes(8 + header.size());
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(header.size() >> (8 * i));
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  for (const TensorToWrite& t : tensors) {
    const auto* first = static_cast<const std::byte*>(t.data);
    bytes.insert(bytes.end(), first, first + t.bytes);
  }
  return bytes;
}

void write_safetensors(const std::string& path, const std::vector<TensorToWrite>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::vector<std::byte> bytes = safetensors_bytes(tensors, metadata);
  const std::string draft = fmt::format("{}.{}.tmp", path, getpid());
  const auto fail = [&](const char* what) {
    const std::string reason = std::strerror(errno);
    std::remove(draft.c_str());
    throw SafetensorsError(fmt::format("{}: cannot be {}: {}", path, what, reason));
  };
  std::FILE* file = std::fopen(draft.c_str(), "wb");
  if (file == nullptr) fail("created");
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (std::fclose(file) != 0 || !written) fail("written");
  if (std::rename(draft.c_str(), path.c_str()) != 0) fail("put in place");
}

}  // namespace xqacheck::reference
