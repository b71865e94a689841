#include "properties/report/html/page.hpp"

#include <fmt/format.h>

#include <string_view>

#include "properties/report/html/sources.hpp"

namespace xqacheck::properties::html {
namespace {

void append_all(std::string& text, std::span<const char* const> pieces) {
  for (const char* piece : pieces) text += piece;
}

// FNV-1a: the content policy asks for a word that results cannot know beforehand; a hash over themselves is one, and
// the same results still give the same page. The page never makes HTML of texts anyway: this is the second lock.
std::string word_of(std::string_view data) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : data) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

}  // namespace

std::string page(const std::string& data_json) {
  const std::string word = word_of(data_json);
  std::string page;
  page.reserve(data_json.size() + (1U << 18));
  std::string_view rest = page_template();
  // "{{NAME}}" in page.html; the pieces themselves are not searched.
  for (std::size_t at = rest.find("{{"); at != std::string_view::npos; at = rest.find("{{")) {
    const std::size_t end = rest.find("}}", at);
    const std::string_view name = rest.substr(at + 2, end - at - 2);
    page += rest.substr(0, at);
    rest.remove_prefix(end + 2);
    if (name == "WORD") page += word;
    if (name == "STYLE") append_all(page, style_sheets());
    if (name == "SCRIPT") append_all(page, scripts());
    if (name == "DATA") page += data_json;
  }
  page += rest;
  return page;
}

}  // namespace xqacheck::properties::html
