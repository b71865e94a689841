// parse(print(c)) == c over random valid cases and run lines, and what must hold of any text.
#include <map>
#include <set>

#include "reference/case_grammar.hpp"
#include "reference/run_grammar.hpp"
#include "tests/rapidcheck.hpp"
#include "tests/reference/arbitrary_case.hpp"

using namespace xqacheck;
using namespace xqacheck::reference;

TEST_CASE("every valid case survives printing and reading", "[case]") {
  tests::check_property(
      "case-round-trip",
      [](const Case& c) {
        validate(c);
        const std::string line = print_case(c);
        RC_ASSERT(parse_case(line) == c);
        RC_ASSERT(print_case(parse_case(line)) == line);
      },
      3000);
}

TEST_CASE("every valid run line survives printing and reading", "[case]") {
  tests::check_property(
      "run-line-round-trip",
      [](const RunLine& run) {
        validate(run);
        const std::string line = print_run_line(run);
        RC_ASSERT(parse_run_line(line) == run);
        RC_ASSERT(print_run_line(parse_run_line(line)) == line);
      },
      1000);
}

TEST_CASE("settling is idempotent and leaves valid cases alone", "[case]") {
  tests::check_property(
      "settled-idempotent", [](const Case& c) { RC_ASSERT(settled(c) == c); }, 500);
}

TEST_CASE("settling repairs what a change of one field breaks", "[case]") {
  tests::check_property(
      "settled-repairs",
      [](Case c) {
        // One field of another case, as a generator or shrinker would put it in.
        const Case other = *rc::gen::arbitrary<Case>();
        switch (tests::pick(0, 6)) {
          case 0:
            c.kv = other.kv;
            break;
          case 1:
            c.q = other.q;
            break;
          case 2:
            c.page = other.page;
            break;
          case 3:
            c.beam = other.beam;
            break;
          case 4:
            c.sinks = other.sinks;
            break;
          case 5:
            c.out = other.out;
            break;
          default:
            c.draft.clear();
            break;
        }
        validate(settled(c));
      },
      500);
}

TEST_CASE("keys may stand in any order", "[case]") {
  tests::check_property("case-key-order", [](const Case& c) {
    const std::string line = print_case(c);
    std::vector<std::string> words;
    for (std::size_t at = line.find(' '); at != std::string::npos;) {
      const std::size_t end = line.find(' ', at + 1);
      words.push_back(line.substr(at, end - at));
      at = end;
    }
    std::string reversed(kCaseVersion);
    for (auto word = words.rbegin(); word != words.rend(); ++word) reversed += *word;
    RC_ASSERT(parse_case(reversed) == c);
  });
}

TEST_CASE("any text is read or refused with a message, never anything else", "[case]") {
  tests::check_property(
      "case-any-text",
      [](const Case& c) {
        std::string line = print_case(c);
        // Damage a few bytes of a good line.
        for (std::uint32_t n = tests::pick(0, 3); n > 0 && !line.empty(); --n) {
          line[tests::pick(0, static_cast<std::uint32_t>(line.size()) - 1)] = static_cast<char>(tests::pick(0, 255));
        }
        try {
          const RunLine run = parse_run_line(line);
          RC_ASSERT(parse_run_line(print_run_line(run)) == run);
        } catch (const CaseError& error) {
          RC_ASSERT(std::string(error.what()).size() > 5);
        }
      },
      1000);
}

// The generator is worth nothing for a feature that it never draws.
TEST_CASE("the generator draws every key away from its default", "[case]") {
  std::set<std::string_view> seen;
  std::map<std::string, int> kinds;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const Case c = rc::gen::arbitrary<Case>()(rc::Random(i), 100).value();
    for (const CaseKey& key : case_keys()) {
      if (key.print(c) != key.default_text(c)) seen.insert(key.name);
    }
    ++kinds["data " + std::to_string(static_cast<int>(c.data))];
    ++kinds["table " + std::to_string(static_cast<int>(c.table))];
    ++kinds["mask " + std::to_string(static_cast<int>(c.mask))];
    ++kinds["rope " + std::to_string(static_cast<int>(c.rope))];
    ++kinds["sinks " + std::to_string(static_cast<int>(c.sinks))];
  }
  for (const CaseKey& key : case_keys()) {
    INFO(key.name);
    // A file has to exist: tests/reference/data/file.cpp covers that key.
    CHECK((seen.count(key.name) == 1 || key.name == "file"));
  }
  // All 21 data kinds, 6 tables, 6 masks, 4 RoPE styles and 5 sink kinds.
  CHECK(kinds.size() == 21 + 6 + 6 + 4 + 5);
}
