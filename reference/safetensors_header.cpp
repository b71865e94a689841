#include "reference/safetensors_header.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "reference/case_error.hpp"

namespace xqacheck::reference {
namespace {

constexpr std::size_t kMaxName = 1024;  // characters of a tensor's name
constexpr std::size_t kMaxRank = 16;    // dimensions of a tensor
constexpr std::string_view kDtypes[] = {"F32", "F16", "BF16", "F8_E4M3", "I64", "I32", "I8", "U32", "U8"};

class Parser {
 public:
  Parser(std::string_view json, const std::string& name) : json_(json), name_(name) {}

  SafetensorsHeader header() {
    SafetensorsHeader header;
    std::set<std::string> names;
    members([&](const std::string& key) {
      if (!names.insert(key).second) fail(fmt::format("'{}' stands twice in the header", printable(key)));
      if (key == "__metadata__") {
        metadata(header.metadata);
      } else {
        header.tensors.push_back(tensor(key));
      }
    });
    blanks();
    if (at_ != json_.size()) fail("text behind the closing brace");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw SafetensorsError(fmt::format("{}: header, byte {}: {}", name_, at_, problem));
  }

  void blanks() {
    while (at_ < json_.size() && (json_[at_] == ' ' || json_[at_] == '\n' || json_[at_] == '\r' || json_[at_] == '\t'))
      ++at_;
  }

  bool take(char c) {
    blanks();
    if (at_ >= json_.size() || json_[at_] != c) return false;
    ++at_;
    return true;
  }

  void need(char c, std::string_view where) {
    if (!take(c)) fail(fmt::format("expected '{}' {}", c, where));
  }

  // { "key": <value>, … }: `value` reads what stands behind the colon.
  template <class Value>
  void members(Value value) {
    need('{', "at the start of an object");
    if (take('}')) return;
    do {
      const std::string key = text();
      need(':', "behind a key");
      value(key);
    } while (take(','));
    need('}', "at the end of an object");
  }

  std::string text() {
    need('"', "at the start of a string");
    std::string out;
    while (true) {
      if (at_ >= json_.size()) fail("the string does not end");
      const char c = json_[at_++];
      if (c == '"') return out;
      if (static_cast<unsigned char>(c) < 0x20) fail("a control character inside a string");
      if (c == '\\') {
        escape(out);
      } else {
        out += c;
      }
    }
  }

  void escape(std::string& out) {
    constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
    if (at_ >= json_.size()) fail("the string does not end");
    const char c = json_[at_++];
    const std::size_t simple = kFrom.find(c);
    if (simple != std::string_view::npos) {
      out += kTo[simple];
      return;
    }
    unsigned code = 0;
    const char* start = json_.data() + at_;
    if (c != 'u' || json_.size() - at_ < 4 || std::from_chars(start, start + 4, code, 16).ptr != start + 4) {
      fail("an unknown escape inside a string");
    }
    at_ += 4;
    if (code == 0 || (code >= 0xD800 && code < 0xE000)) fail("\\u0000 and surrogate pairs are not read");
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else {
      if (code < 0x800) {
        out += static_cast<char>(0xC0 | code >> 6);
      } else {
        out += static_cast<char>(0xE0 | code >> 12);
        out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
      }
      out += static_cast<char>(0x80 | (code & 0x3F));
    }
  }

  std::vector<std::uint64_t> numbers(std::string_view field, std::size_t most) {
    std::vector<std::uint64_t> values;
    need('[', fmt::format("at the start of {}", field));
    if (take(']')) return values;
    do {
      blanks();
      std::uint64_t value = 0;
      const char* start = json_.data() + at_;
      const auto result = std::from_chars(start, json_.data() + json_.size(), value);
      if (result.ec != std::errc{}) fail(fmt::format("{} must hold whole numbers below 2^64", field));
      at_ += static_cast<std::size_t>(result.ptr - start);
      values.push_back(value);
      if (values.size() > most) fail(fmt::format("{} has more than {} numbers", field, most));
    } while (take(','));
    need(']', fmt::format("at the end of {}", field));
    return values;
  }

  FileTensor tensor(const std::string& name) {
    if (name.size() > kMaxName) fail(fmt::format("a tensor's name has more than {} characters", kMaxName));
    FileTensor tensor;
    tensor.name = name;
    std::set<std::string> seen;
    const std::string shown = printable(name);
    members([&](const std::string& key) {
      if (!seen.insert(key).second) fail(fmt::format("tensor '{}' gives {} twice", shown, printable(key)));
      if (key == "dtype") {
        tensor.dtype = dtype(shown);
      } else if (key == "shape") {
        tensor.shape = numbers("shape", kMaxRank);
      } else if (key == "data_offsets") {
        const auto offsets = numbers("data_offsets", 2);
        if (offsets.size() != 2) fail(fmt::format("data_offsets of tensor '{}' must be two numbers", shown));
        tensor.begin = offsets[0];
        tensor.end = offsets[1];
      } else {
        fail(fmt::format("tensor '{}' has an unknown field '{}'; fields are dtype shape data_offsets", shown,
                         printable(key)));
      }
    });
    for (const char* field : {"dtype", "shape", "data_offsets"}) {
      if (seen.count(field) == 0) fail(fmt::format("tensor '{}' has no {}", shown, field));
    }
    return tensor;
  }

  FileDtype dtype(const std::string& tensor) {
    const std::string word = text();
    const auto found = std::find(std::begin(kDtypes), std::end(kDtypes), word);
    if (found == std::end(kDtypes)) {
      fail(fmt::format("tensor '{}' has dtype {}; read are F32 F16 BF16 F8_E4M3 I64 I32 I8 U32 U8", tensor,
                       printable(word)));
    }
    return static_cast<FileDtype>(found - std::begin(kDtypes));
  }

  void metadata(std::map<std::string, std::string>& into) {
    members([&](const std::string& key) {
      blanks();
      if (at_ < json_.size() && json_[at_] != '"') fail(fmt::format("metadata '{}' must be a string", printable(key)));
      if (!into.emplace(key, text()).second) fail(fmt::format("metadata '{}' stands twice", printable(key)));
    });
  }

  std::string_view json_;
  const std::string& name_;
  std::size_t at_ = 0;
};

}  // namespace

std::string_view name_of(FileDtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)];
}

std::size_t bytes_of(FileDtype dtype) {
  constexpr std::size_t kBytes[] = {4, 2, 2, 1, 8, 4, 1, 4, 1};
  return kBytes[static_cast<std::size_t>(dtype)];
}

SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& name) {
  return Parser(json, name).header();
}

}  // namespace xqacheck::reference
