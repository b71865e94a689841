#include "emulation/ptx/launch/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace xqacheck::ptx {
namespace {

using Json = nlohmann::json;

[[noreturn]] void fail(const std::string& field, const std::string& what) {
  throw PtxError(fmt::format("launch description: {}: {}", field, what));
}

std::uint64_t number(const Json& from, const std::string& field) {
  if (!from.is_number_unsigned()) fail(field, "a number that is not negative is needed");
  return from.get<std::uint64_t>();
}

// A number that an integer of 32 bits holds: a larger one must not come out as another.
std::uint32_t small(const Json& from, const std::string& field, std::uint32_t least, std::uint32_t most) {
  const std::uint64_t value = number(from, field);
  if (value < least || value > most) fail(field, fmt::format("{} is not possible; {} to {} are", value, least, most));
  return static_cast<std::uint32_t>(value);
}

void known_keys(const Json& object, const std::string& field, std::initializer_list<std::string_view> keys) {
  if (!object.is_object()) fail(field, "an object in braces is needed");
  for (const auto& [key, value] : object.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) fail(field, fmt::format("there is no key '{}'; there are {}", key, fmt::join(keys, ", ")));
}

// `most`: of the product.
Extent extent(const Json& from, const std::string& field, std::uint32_t most) {
  if (from.is_number_unsigned()) return {small(from, field, 1, most), 1, 1};
  if (!from.is_array() || from.empty() || from.size() > 3) fail(field, "one to three numbers are needed, such as [2, 1, 1]");
  std::uint32_t sizes[3] = {1, 1, 1};
  std::uint64_t product = 1;  // of two numbers of 32 bits at most
  for (std::size_t i = 0; i < from.size(); ++i) {
    sizes[i] = small(from[i], fmt::format("{}[{}]", field, i), 1, most);
    if ((product *= sizes[i]) > most) fail(field, fmt::format("the product is more than {}", most));
  }
  return {sizes[0], sizes[1], sizes[2]};
}

std::vector<std::byte> read_file(const std::string& path, const std::string& field) {
  if (std::error_code none; std::filesystem::is_directory(path, none)) fail(field, path + " is a folder; name a file");
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in.is_open() || in.bad()) fail(field, path + " cannot be read");
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

template <class T>
std::vector<std::byte> bytes_of_value(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::vector<std::byte> hex_bytes(const Json& from, const std::string& field) {
  const std::string text = from.is_string() ? from.get<std::string>() : "";
  if (text.empty() || text.size() % 2 != 0 || text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
    fail(field, "hexadecimal digits in pairs are needed, such as \"00ff\"");
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) bytes.push_back(static_cast<std::byte>(std::stoul(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

// {"f32": 1.5}, {"u32": 7}, …: bytes of one value; nothing if the object holds no such key.
std::optional<std::vector<std::byte>> scalar(const Json& from, const std::string& field) {
  for (const auto& [key, value] : from.items()) {
    if (key == "f32" || key == "f64") {
      if (!value.is_number()) fail(field + "." + key, "a number is needed");
      return key == "f32" ? bytes_of_value(value.get<float>()) : bytes_of_value(value.get<double>());
    }
    if (key != "u8" && key != "u16" && key != "u32" && key != "u64" && key != "s8" && key != "s16" && key != "s32" && key != "s64") continue;
    if (!value.is_number_integer()) fail(field + "." + key, "a whole number is needed");
    const unsigned bits = static_cast<unsigned>(std::stoul(key.substr(1)));
    const bool negative = value.get<std::int64_t>() < 0 && !value.is_number_unsigned();
    const std::uint64_t most = (key[0] == 's' ? ~std::uint64_t{0} >> 1 : ~std::uint64_t{0}) >> (64 - bits);
    const std::uint64_t size = negative ? ~value.get<std::uint64_t>() : value.get<std::uint64_t>();
    if ((negative && key[0] == 'u') || size > most)
      fail(field + "." + key, fmt::format("{} has no place in {} bits", value.dump(), bits));
    std::vector<std::byte> bytes = bytes_of_value(value.get<std::int64_t>());
    bytes.resize(bits / 8);
    return bytes;
  }
  return std::nullopt;
}

// Contents from one of: file, fill (a byte), hex (repeated), or a scalar (repeated).
void initialise(BufferDescription& buffer, const Json& from, const std::string& field, const std::string& folder) {
  std::vector<std::byte> pattern;
  if (from.contains("file")) {
    if (!from["file"].is_string() || from["file"].get<std::string>().empty())
      fail(field + ".file", "a file name is needed");
    const std::string name = from["file"].get<std::string>();
    buffer.initial = read_file(name.starts_with("/") ? name : folder + "/" + name, field + ".file");
    if (buffer.bytes == 0) buffer.bytes = buffer.initial.size();
    if (buffer.initial.size() != buffer.bytes)
      fail(field + ".file", fmt::format("the file has {} bytes, the buffer {}", buffer.initial.size(), buffer.bytes));
    return;
  }
  if (from.contains("fill")) {
    const std::uint64_t byte = number(from["fill"], field + ".fill");
    if (byte > 255) fail(field + ".fill", "a byte is 0 to 255");
    pattern = {static_cast<std::byte>(byte)};
  } else if (from.contains("hex")) {
    pattern = hex_bytes(from["hex"], field + ".hex");
  } else if (const auto value = scalar(from, field)) {
    pattern = *value;
  }
  if (pattern.empty()) return;
  constexpr std::uint64_t kMostContents = std::uint64_t{1} << 32;  // they are held here and in the machine
  if (buffer.bytes > kMostContents) fail(field + ".bytes", "at most 2^32 of a buffer with contents");
  buffer.initial.reserve(buffer.bytes);
  for (std::uint64_t i = 0; i < buffer.bytes; ++i) buffer.initial.push_back(pattern[i % pattern.size()]);
}

BufferDescription buffer_of(const std::string& name, const Json& from, const std::string& folder) {
  const std::string field = "buffers." + name;
  known_keys(from, field, {"bytes", "align", "file", "fill", "hex", "f32", "f64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "read_only", "output"});
  BufferDescription buffer;
  buffer.name = name;
  if (from.contains("bytes")) buffer.bytes = number(from["bytes"], field + ".bytes");
  // A terabyte: more is a typing error.
  if (buffer.bytes > std::uint64_t{1} << 40) fail(field + ".bytes", "at most 2^40");
  if (from.contains("align")) buffer.align = number(from["align"], field + ".align");
  if (buffer.align == 0 || (buffer.align & (buffer.align - 1)) != 0 || buffer.align > 1u << 30)
    fail(field + ".align", "a power of two up to 2^30 is needed");
  if (from.contains("read_only")) {
    if (!from["read_only"].is_boolean()) fail(field + ".read_only", "true or false is needed");
    buffer.read_only = from["read_only"].get<bool>();
  }
  if (from.contains("output")) {
    if (!from["output"].is_string() || from["output"].get<std::string>().empty())
      fail(field + ".output", "a file name is needed");
    const std::string file = from["output"].get<std::string>();
    buffer.output = file.starts_with("/") ? file : folder + "/" + file;
    // Told before the run, not after it.
    const std::filesystem::path path(buffer.output), parent = path.parent_path();
    std::error_code none;
    if (std::filesystem::is_directory(path, none)) fail(field + ".output", buffer.output + " is a folder; name a file");
    if (!parent.empty() && !std::filesystem::is_directory(parent, none))
      fail(field + ".output", parent.string() + " is no folder: make it first");
  }
  initialise(buffer, from, field, folder);
  if (buffer.bytes == 0) fail(field + ".bytes", "the size is missing");
  return buffer;
}

ArgumentDescription argument_of(std::size_t index, const Json& from) {
  const std::string field = fmt::format("arguments[{}]", index);
  known_keys(from, field, {"buffer", "offset", "null", "hex", "f32", "f64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"});
  ArgumentDescription argument;
  if (from.contains("buffer")) {
    if (!from["buffer"].is_string()) fail(field + ".buffer", "the name of a buffer is needed");
    argument.buffer = from["buffer"].get<std::string>();
    if (from.contains("offset")) argument.offset = number(from["offset"], field + ".offset");
  } else if (from.contains("null")) {
    argument.value = bytes_of_value(std::uint64_t{0});
  } else if (from.contains("hex")) {
    argument.value = hex_bytes(from["hex"], field + ".hex");
  } else if (auto value = scalar(from, field)) {
    argument.value = std::move(*value);
  } else {
    fail(field, "a buffer or a value is needed, such as {\"u32\": 7}");
  }
  return argument;
}

std::string only_kernel(const Module& module) {
  std::string found;
  for (const auto& function : module.functions) {
    if (!function.entry || !function.defined) continue;
    if (!found.empty()) fail("kernel", fmt::format("{} has several kernels, among them {} and {}: name one", module.file, found, function.name));
    found = function.name;
  }
  return found;
}

}  // namespace

LaunchDescription parse_description(const std::string& json, const std::string& folder) {
  Json root;
  try {
    root = Json::parse(json);
  } catch (const Json::parse_error& error) {
    fail("JSON", fmt::format("no JSON at byte {}", error.byte));
  }
  known_keys(root, "description", {"kernel", "grid", "block", "shared", "repeat", "buffers", "arguments"});
  constexpr std::uint32_t kMostCtas = 1u << 24;  // each keeps its place in the order of the schedule
  LaunchDescription description;
  if (root.contains("kernel")) {
    if (!root["kernel"].is_string()) fail("kernel", "a name is needed");
    description.kernel = root["kernel"].get<std::string>();
  }
  if (!root.contains("block")) fail("block", "the size of a CTA is missing");
  if (root.contains("grid")) description.grid = extent(root["grid"], "grid", kMostCtas);
  description.block = extent(root["block"], "block", 1024);
  if (root.contains("shared")) description.shared = small(root["shared"], "shared", 0, 227u << 10);
  if (root.contains("repeat")) description.repeat = small(root["repeat"], "repeat", 1, 10000);
  if (root.contains("buffers")) {
    if (!root["buffers"].is_object()) fail("buffers", "an object in braces is needed");
    for (const auto& [name, value] : root["buffers"].items()) {
      BufferDescription buffer = buffer_of(name, value, folder);
      for (const auto& other : description.buffers)
        if (!buffer.output.empty() && std::filesystem::path(other.output).lexically_normal() ==
                                          std::filesystem::path(buffer.output).lexically_normal())
          fail("buffers." + name + ".output", fmt::format("{} is the output of {} too", buffer.output, other.name));
      description.buffers.push_back(std::move(buffer));
    }
  }
  if (root.contains("arguments")) {
    if (!root["arguments"].is_array()) fail("arguments", "a list in brackets is needed");
    for (const auto& value : root["arguments"]) description.arguments.push_back(argument_of(description.arguments.size(), value));
  }
  return description;
}

std::map<std::string, std::vector<std::byte>> run_description(Machine& machine, LoadedModule& module, const LaunchDescription& description) {
  Launch launch;
  launch.program = module.kernel(description.kernel.empty() ? only_kernel(module.module()) : description.kernel);
  launch.grid = description.grid, launch.block = description.block;
  launch.dynamic_shared = description.shared;
  const auto& places = launch.program->parameters;
  if (description.arguments.size() != places.size())
    fail("arguments", fmt::format("kernel {} takes {}, the description has {}", launch.program->name, places.size(), description.arguments.size()));
  std::map<std::string, std::uint64_t> addresses;
  for (const auto& buffer : description.buffers) {
    const std::uint64_t at = machine.memory().allocate(buffer.bytes, buffer.align, buffer.name);
    if (!buffer.initial.empty()) std::memcpy(machine.memory().at(at, buffer.bytes), buffer.initial.data(), buffer.bytes);
    machine.memory().set_read_only(at, buffer.read_only);
    if (Monitor* monitor = machine.monitor()) monitor->allocated({buffer.name, at, buffer.bytes, buffer.read_only, !buffer.initial.empty()});
    addresses[buffer.name] = at;
  }
  launch.parameters.resize(launch.program->parameter_bytes);
  for (std::size_t i = 0; i < places.size(); ++i) {
    ArgumentDescription argument = description.arguments[i];
    if (!argument.buffer.empty()) {
      const auto found = addresses.find(argument.buffer);
      if (found == addresses.end()) fail(fmt::format("arguments[{}].buffer", i), fmt::format("there is no buffer '{}'", argument.buffer));
      argument.value = bytes_of_value(found->second + argument.offset);
    }
    if (argument.value.size() != places[i].bytes)
      fail(fmt::format("arguments[{}]", i), fmt::format("the parameter has {} bytes, the value {}", places[i].bytes, argument.value.size()));
    std::memcpy(launch.parameters.data() + places[i].offset, argument.value.data(), argument.value.size());
  }
  machine.run(std::vector<Launch>(description.repeat, launch));
  std::map<std::string, std::vector<std::byte>> contents;
  for (const auto& buffer : description.buffers) {
    const std::byte* at = machine.memory().at(addresses[buffer.name], buffer.bytes);
    contents[buffer.name] = {at, at + buffer.bytes};
  }
  return contents;
}

}  // namespace xqacheck::ptx
