// doc/case-line.md lists every key and name; the tables there are those of the grammar.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "reference/case_grammar.hpp"
#include "reference/case_line.hpp"
#include "reference/names.hpp"
#include "reference/run_grammar.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::reference;

namespace {

template <class T>
std::string key_table(const std::vector<Key<T>>& keys) {
  std::string table = "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const Key<T>& key : keys) {
    const std::string standard = key.default_text(T{});
    table += fmt::format("| `{}` | {} | {} | {} |\n", key.name, key.syntax,
                         standard.empty() ? "" : "`" + standard + "`", key.help);
  }
  return table;
}

std::string name_table(std::span<const std::string_view> names, std::span<const std::string_view> texts) {
  std::string table = "| name | meaning |\n|---|---|\n";
  for (std::size_t i = 0; i < names.size(); ++i) table += fmt::format("| `{}` | {} |\n", names[i], texts[i]);
  return table;
}

std::string page() {
  const char* root = std::getenv("XQACHECK_SOURCE_DIR");
  std::ifstream file(std::string(root == nullptr ? "." : root) + "/doc/case-line.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("the tables of doc/case-line.md are those of the grammar", "[case]") {
  const std::string text = page();
  CHECK(text.find(key_table(case_keys())) != std::string::npos);
  CHECK(text.find(key_table(run_keys())) != std::string::npos);
  CHECK(text.find(name_table(data_names(), data_descriptions())) != std::string::npos);
  CHECK(text.find(name_table(table_names(), table_descriptions())) != std::string::npos);
}

// Every line shown in the page is read.
TEST_CASE("the lines of doc/case-line.md are valid", "[case]") {
  const std::string text = page();
  int lines = 0;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind("    xqa/1", 0) != 0) continue;  // code blocks are indented by four
    ++lines;
    INFO(line);
    CHECK_NOTHROW(parse_run_line(line));
  }
  CHECK(lines >= 10);
}

TEST_CASE("print the tables", "[.][.update]") {
  std::cout << key_table(case_keys()) << "\n"
            << key_table(run_keys()) << "\n"
            << name_table(data_names(), data_descriptions()) << "\n"
            << name_table(table_names(), table_descriptions());
}
