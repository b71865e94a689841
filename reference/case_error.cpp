#include "reference/case_error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace xqacheck::reference {
namespace {

// Longer words are not misspelt keys; it also bounds the cost for hostile input.
constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kLongestQuote = 60;

std::string sentence(const std::string& field, const std::string& value, const std::string& allowed,
                     const std::string& nearest) {
  std::string text = field;
  if (!value.empty()) text += "=" + value;
  text += ": " + allowed;
  if (!nearest.empty()) text += " (did you mean '" + nearest + "'?)";
  return text;
}

}  // namespace

CaseError::CaseError(std::string field_, std::string value_, std::string allowed_, std::string nearest_)
    : std::runtime_error(sentence(field_, printable(value_), allowed_, nearest_)),
      field(std::move(field_)),
      value(printable(value_)),
      allowed(std::move(allowed_)),
      nearest(std::move(nearest_)) {}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = last;
    last = now;
  }
  return last[b.size()];
}

std::string nearest_of(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.size() > kLongestWord) return {};
  const std::size_t limit = std::clamp<std::size_t>(word.size() / 3, 1, 3);
  std::string_view best;
  std::size_t best_distance = limit + 1;
  for (std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return std::string(best);
}

std::string printable(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (out.size() >= kLongestQuote) return out + "...";
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      out += c;
    } else {
      out += fmt::format("\\x{:02X}", byte);
    }
  }
  return out;
}

}  // namespace xqacheck::reference
