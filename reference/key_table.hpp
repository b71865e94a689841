// The engine of both line grammars: a table with one entry per key reads and writes a value type T.
//
// Rules that hold for every key: defaults are text and depend on earlier keys only, so a line may leave out any key
// that holds its default; printing goes through the same text, so what is left out is exactly what reading puts back.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/case_error.hpp"

namespace xqacheck::reference {

template <class T>
struct Key {
  std::string_view name;
  std::string_view syntax;                // what may be written, for documentation and messages
  std::string_view help;                  // one sentence: meaning and unit
  std::string (*default_text)(const T&);  // of the earlier keys; "" means "no value"
  void (*parse)(std::string_view key, std::string_view text, T& into);  // throws CaseError naming `key`
  std::string (*print)(const T&);
};

// Reads `key=value` words in any order into `into`. `first` names a key that is read before all others ("" if none).
template <class T>
void parse_keys(const std::vector<std::string_view>& words, const std::vector<Key<T>>& table, std::string_view first,
                T& into) {
  std::vector<std::string_view> names, given(table.size());
  for (const Key<T>& key : table) names.push_back(key.name);
  for (std::string_view word : words) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    std::size_t index = 0;
    while (index < table.size() && names[index] != name) ++index;
    if (index == table.size()) {
      std::string known;
      for (std::string_view each : names) known.append(known.empty() ? "" : " ").append(each);
      throw CaseError(printable(name), "", "unknown key; keys are " + known, nearest_of(name, names));
    }
    if (equals == std::string_view::npos || equals + 1 == word.size()) {
      throw CaseError(std::string(name), "", "needs a value: " + std::string(table[index].syntax));
    }
    if (!given[index].empty()) throw CaseError(std::string(name), std::string(word.substr(equals + 1)), "given twice");
    given[index] = word.substr(equals + 1);
  }
  const auto read = [&](std::size_t i) {
    const std::string text = given[i].empty() ? table[i].default_text(into) : std::string(given[i]);
    if (!text.empty()) table[i].parse(table[i].name, text, into);
  };
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].name == first) read(i);
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].name != first) read(i);
  }
}

// " key=value" for every key that does not hold its default, in the order of the table.
template <class T>
std::string print_keys(const std::vector<Key<T>>& table, const T& from) {
  std::string line;
  for (const Key<T>& key : table) {
    const std::string text = key.print(from);
    if (text != key.default_text(from)) line.append(" ").append(key.name).append("=").append(text);
  }
  return line;
}

}  // namespace xqacheck::reference
