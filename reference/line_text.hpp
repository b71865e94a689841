// Small strict readers and writers for the values of case and run lines. Every reader takes the key's name for its
// message and throws CaseError; nothing is skipped, trimmed or wrapped around.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xqacheck::reference {

// Decimal digits only.
std::uint32_t read_u32(std::string_view key, std::string_view text);
std::uint64_t read_u64(std::string_view key, std::string_view text);
// A finite decimal number as std::from_chars reads it ("0.25", "1e-3").
float read_float(std::string_view key, std::string_view text);
// "0" or "1".
bool read_flag(std::string_view key, std::string_view text);
// One to `digits` hexadecimal digits.
std::uint64_t read_hex(std::string_view key, std::string_view text, std::size_t digits);
// Index of `text` in `names`.
std::size_t read_name(std::string_view key, std::string_view text, std::span<const std::string_view> names);
// "A/B/C" with one to `most` numbers; missing ones stay as they are in `values`.
void read_slashed(std::string_view key, std::string_view text, std::span<std::uint32_t*> values);

// Shortest decimal that reads back as the same float.
std::string write_float(float value);
// "A/B/C", or just "0" where all are zero.
std::string write_slashed(std::span<const std::uint32_t> values);

// Pieces between separators; separators inside parentheses do not count. "a,,b" has an empty piece in the middle.
std::vector<std::string_view> split(std::string_view text, char separator);
// Words between blanks, tabs and line ends.
std::vector<std::string_view> words(std::string_view text);

// Bytes that would end a word or mean something in a line (blank, control, %, #, @, non-ASCII) as %NN, and back.
std::string percent_encode(std::string_view text);
std::string percent_decode(std::string_view key, std::string_view text);

}  // namespace xqacheck::reference
