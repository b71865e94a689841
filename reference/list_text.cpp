#include "reference/list_text.hpp"

#include <fmt/format.h>

#include "reference/case_error.hpp"
#include "reference/case_limits.hpp"
#include "reference/line_text.hpp"
#include "reference/names.hpp"
#include "reference/philox.hpp"

namespace xqacheck::reference {
namespace {

[[noreturn]] void fail(std::string_view key, std::string_view text, std::string allowed) {
  throw CaseError(std::string(key), std::string(text), std::move(allowed));
}

struct Range {
  std::uint32_t low, high;
};

// "7" or "uniform(1,9)".
Range read_range(std::string_view key, std::string_view text) {
  constexpr std::string_view kUniform = "uniform(";
  if (!text.starts_with(kUniform)) {
    const std::uint32_t value = read_u32(key, text);
    return {value, value};
  }
  const std::size_t comma = text.find(',');
  if (text.back() != ')' || comma == std::string_view::npos) fail(key, text, "write uniform(LOW,HIGH)");
  const Range range{read_u32(key, text.substr(kUniform.size(), comma - kUniform.size())),
                    read_u32(key, text.substr(comma + 1, text.size() - comma - 2))};
  if (range.low > range.high) fail(key, text, "the first bound of uniform(LOW,HIGH) must not be above the second");
  return range;
}

template <class Row, class ReadWord>
std::vector<Row> read_rows(std::string_view key, std::string_view text, ReadWord read_word) {
  std::vector<Row> rows;
  for (std::string_view piece : split(text, '/')) {
    Row row;
    if (!piece.empty()) {
      for (std::string_view word : split(piece, ',')) row.push_back(read_word(word));
    }
    if (row.size() > kMaxDraft) fail(key, piece, fmt::format("at most {} draft tokens", kMaxDraft));
    rows.push_back(std::move(row));
    if (rows.size() > kMaxRequests) fail(key, "", fmt::format("at most {} requests", kMaxRequests));
  }
  return rows;
}

std::string write_rows(const std::vector<std::vector<std::uint32_t>>& rows, bool hexadecimal) {
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r > 0) text += '/';
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      if (i > 0) text += ',';
      text += hexadecimal ? fmt::format("{:x}", rows[r][i]) : fmt::format("{}", rows[r][i]);
    }
  }
  return text;
}

}  // namespace

std::vector<std::uint32_t> read_list(std::string_view key, std::string_view text, std::size_t most, std::uint64_t geo) {
  std::vector<std::uint32_t> values;
  for (std::string_view item : split(text, ',')) {
    const std::size_t times = item.rfind('x');
    std::uint32_t count = 1;
    if (times != std::string_view::npos) {
      count = read_u32(key, item.substr(times + 1));
      item = item.substr(0, times);
    }
    if (item.empty()) fail(key, text, "needs numbers separated by commas, e.g. 64,3 or 8192x128 or uniform(1,4096)x64");
    if (count == 0) fail(key, item, "a repeat count must be at least 1");
    if (count > most - values.size()) fail(key, text, fmt::format("at most {} numbers", most));
    const Range range = read_range(key, item);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t span = std::uint64_t{range.high} - range.low + 1;
      values.push_back(range.low + static_cast<std::uint32_t>(draw_below(geo, Stream::lengths, values.size(), span)));
    }
  }
  return values;
}

std::string write_list(const std::vector<std::uint32_t>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i;
    while (end < values.size() && values[end] == values[i]) ++end;
    if (!text.empty()) text += ',';
    text += fmt::format("{}", values[i]);
    if (end - i > 1) text += fmt::format("x{}", end - i);
    i = end;
  }
  return text;
}

std::vector<Tree> read_trees(std::string_view key, std::string_view text) {
  return read_rows<Tree>(key, text, [&](std::string_view word) { return read_u32(key, word); });
}

std::string write_trees(const std::vector<Tree>& trees) {
  return write_rows(trees, false);
}

std::vector<std::vector<std::uint32_t>> read_bits(std::string_view key, std::string_view text) {
  return read_rows<std::vector<std::uint32_t>>(
      key, text, [&](std::string_view word) { return static_cast<std::uint32_t>(read_hex(key, word, 8)); });
}

std::string write_bits(const std::vector<std::vector<std::uint32_t>>& bits) {
  return write_rows(bits, true);
}

std::vector<Injection> read_injections(std::string_view key, std::string_view text) {
  std::vector<Injection> injections;
  for (std::string_view item : split(text, ',')) {
    const std::size_t at = item.find('@');
    const auto place = at == std::string_view::npos ? std::vector<std::string_view>{} : split(item.substr(at + 1), ':');
    if (place.size() != 3) fail(key, item, "write VALUE@TENSOR:REQUEST:TOKEN, e.g. nan@v:0:5");
    Injection injection;
    injection.value = static_cast<Injection::Value>(read_name(key, item.substr(0, at), inject_value_names()));
    injection.tensor = static_cast<Injection::Tensor>(read_name(key, place[0], inject_tensor_names()));
    injection.request = read_u32(key, place[1]);
    injection.token = read_u32(key, place[2]);
    injections.push_back(injection);
    if (injections.size() > kMaxInjections) fail(key, "", fmt::format("at most {} injections", kMaxInjections));
  }
  return injections;
}

std::string write_injections(const std::vector<Injection>& injections) {
  std::string text;
  for (const Injection& injection : injections) {
    if (!text.empty()) text += ',';
    text += fmt::format("{}@{}:{}:{}", inject_value_names()[static_cast<std::size_t>(injection.value)],
                        inject_tensor_names()[static_cast<std::size_t>(injection.tensor)], injection.request,
                        injection.token);
  }
  return text;
}

}  // namespace xqacheck::reference
