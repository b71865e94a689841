#include "reference/line_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/case_error.hpp"

namespace xqacheck::reference {
namespace {

template <class T>
bool whole_number(std::string_view text, T& value, int base) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value, base);
  return result.ec == std::errc{} && result.ptr == end && text.front() != '-';
}

}  // namespace

std::uint32_t read_u32(std::string_view key, std::string_view text) {
  std::uint32_t value = 0;
  if (text.empty() || !whole_number(text, value, 10)) {
    throw CaseError(std::string(key), std::string(text), "must be a whole number from 0 to 4294967295");
  }
  return value;
}

std::uint64_t read_u64(std::string_view key, std::string_view text) {
  std::uint64_t value = 0;
  if (text.empty() || !whole_number(text, value, 10)) {
    throw CaseError(std::string(key), std::string(text), "must be a whole number from 0 to 18446744073709551615");
  }
  return value;
}

float read_float(std::string_view key, std::string_view text) {
  float value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (text.empty() || result.ec != std::errc{} || result.ptr != end || !std::isfinite(value)) {
    throw CaseError(std::string(key), std::string(text), "must be a finite number that fp32 can hold, e.g. 0.25");
  }
  return value;
}

bool read_flag(std::string_view key, std::string_view text) {
  if (text == "0") return false;
  if (text == "1") return true;
  throw CaseError(std::string(key), std::string(text), "must be 0 or 1");
}

std::uint64_t read_hex(std::string_view key, std::string_view text, std::size_t digits) {
  std::uint64_t value = 0;
  if (text.empty() || text.size() > digits || !whole_number(text, value, 16)) {
    throw CaseError(std::string(key), std::string(text), fmt::format("must be 1 to {} hexadecimal digits", digits));
  }
  return value;
}

std::size_t read_name(std::string_view key, std::string_view text, std::span<const std::string_view> names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw CaseError(std::string(key), std::string(text), fmt::format("must be one of {}", fmt::join(names, " ")),
                  nearest_of(text, {names.begin(), names.end()}));
}

void read_slashed(std::string_view key, std::string_view text, std::span<std::uint32_t*> values) {
  const auto pieces = split(text, '/');
  if (pieces.size() > values.size()) {
    throw CaseError(std::string(key), std::string(text),
                    fmt::format("must be at most {} numbers separated by /", values.size()));
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) *values[i] = read_u32(key, pieces[i]);
}

std::string write_float(float value) {
  char text[32];  // the longest shortest float is 15 characters: -1.17549435e-38
  const auto result = std::to_chars(text, text + sizeof text, value);
  return {text, result.ptr};
}

std::string write_slashed(std::span<const std::uint32_t> values) {
  if (std::all_of(values.begin(), values.end(), [](std::uint32_t v) { return v == 0; })) return "0";
  return fmt::format("{}", fmt::join(values, "/"));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == separator && depth <= 0) {
      pieces.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  pieces.push_back(text.substr(start));
  return pieces;
}

std::vector<std::string_view> words(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<std::string_view> found;
  std::size_t start = text.find_first_not_of(kBlanks);
  while (start != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, start), text.size());
    found.push_back(text.substr(start, end - start));
    start = text.find_first_not_of(kBlanks, end);
  }
  return found;
}

std::string percent_encode(std::string_view text) {
  std::string out;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7F || c == '%' || c == '#' || c == '@') {
      out += fmt::format("%{:02X}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::string percent_decode(std::string_view key, std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte <= 0x20 || byte >= 0x7F) {
      throw CaseError(std::string(key), std::string(text), "blanks and bytes outside ASCII are written %NN");
    }
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    if (i + 2 >= text.size() || !whole_number(text.substr(i + 1, 2), value, 16)) {
      throw CaseError(std::string(key), std::string(text), "a % must be followed by two hexadecimal digits");
    }
    if (value == 0) throw CaseError(std::string(key), std::string(text), "must not contain a NUL byte (%00)");
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

}  // namespace xqacheck::reference
