// The usual kinds of table entry, for a member `field` of the value type: what to put in the parse and print columns.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "reference/line_text.hpp"

namespace xqacheck::reference {

template <class T>
struct KeyIo {
  void (*parse)(std::string_view key, std::string_view text, T& into);
  std::string (*print)(const T&);
};

template <class T, auto field>
constexpr KeyIo<T> io_u32() {
  return {[](std::string_view key, std::string_view text, T& c) { c.*field = read_u32(key, text); },
          [](const T& c) { return fmt::format("{}", c.*field); }};
}

template <class T, auto field>
constexpr KeyIo<T> io_u64() {
  return {[](std::string_view key, std::string_view text, T& c) { c.*field = read_u64(key, text); },
          [](const T& c) { return fmt::format("{}", c.*field); }};
}

template <class T, auto field>
constexpr KeyIo<T> io_float() {
  return {[](std::string_view key, std::string_view text, T& c) { c.*field = read_float(key, text); },
          [](const T& c) { return write_float(c.*field); }};
}

template <class T, auto field>
constexpr KeyIo<T> io_flag() {
  return {[](std::string_view key, std::string_view text, T& c) { c.*field = read_flag(key, text); },
          [](const T& c) { return std::string(c.*field ? "1" : "0"); }};
}

// An enumeration with its list of names.
template <class T, auto field, std::span<const std::string_view> (*names)()>
constexpr KeyIo<T> io_name() {
  return {[](std::string_view key, std::string_view text, T& c) {
            using Enum = std::remove_reference_t<decltype(c.*field)>;
            c.*field = static_cast<Enum>(read_name(key, text, names()));
          },
          [](const T& c) { return std::string(names()[static_cast<std::size_t>(c.*field)]); }};
}

}  // namespace xqacheck::reference
