// Texts stored once and named by their index.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace xqacheck::properties::html {

class TextTable {
 public:
  TextTable() { index(""); }  // 0: no text

  std::uint32_t index(std::string_view text) {
    const auto [at, added] = places_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
    if (added) texts_.push_back(at->first);
    return at->second;
  }

  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, std::uint32_t> places_;
  std::vector<std::string> texts_;
};

}  // namespace xqacheck::properties::html
