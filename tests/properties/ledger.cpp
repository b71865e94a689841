#include "properties/ledger.hpp"

#include "properties/errors.hpp"
#include "reference/case_line.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::properties;
using Catch::Matchers::Contains;
using xqacheck::reference::parse_case;

namespace {

const char* const kText = R"({"ledger": 1, "entries": [
  {"case": "kv=e4m3 draft=* !window", "kernel": "mine*", "property": "golden", "kind": "value", "reason": "causal mask", "link": "#17"},
  {"kernel": "other", "property": "*", "reason": "all of it", "link": "#18"}]})";

Verdict verdict_of(Status status, const char* line, const char* kind = "value", const char* property = "golden") {
  Verdict verdict;
  verdict.status = status, verdict.kind = kind, verdict.property = property;
  verdict.subject = parse_case(line);
  verdict.run_line = line;
  return verdict;
}

const char* const kKnown = "xqa/1 kv=e4m3 draft=4 len=70";

}  // namespace

TEST_CASE("ledger: globs") {
  CHECK(matches_glob("*", ""));
  CHECK(matches_glob("a*c?", "abbcd"));
  CHECK(matches_glob("*ab", "aab"));
  CHECK_FALSE(matches_glob("*ab", "aba"));
  CHECK_FALSE(matches_glob("", "a"));
  CHECK_FALSE(matches_glob("a?", "a"));
  CHECK(matches_glob("*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"));  // no exponential search
}

TEST_CASE("ledger: patterns of cases") {
  const auto c = parse_case(kKnown);
  CHECK(matches_case("", c));
  CHECK(matches_case("kv=e4m3", c));
  CHECK(matches_case("kv=e4* draft=? !window len=70", c));
  CHECK_FALSE(matches_case("kv=int8", c));
  CHECK_FALSE(matches_case("!draft", c));
  CHECK_FALSE(matches_case("window=*", c));
  CHECK_FALSE(matches_case("le=70", c));  // keys whole
}

TEST_CASE("ledger: a failure that matches is known, others are not") {
  Ledger ledger(parse_ledger(kText, "l.json"));
  Verdict known = verdict_of(Status::failed, kKnown);
  ledger.apply("mine2", known);
  CHECK(known.status == Status::known);
  REQUIRE(known.notes.size() == 1);
  CHECK(known.notes[0] == "known, was FAILED: causal mask (#17)");
  for (Verdict other : {verdict_of(Status::failed, "xqa/1 kv=e4m3 len=70"),
                        verdict_of(Status::failed, "xqa/1 kv=e4m3 draft=4 len=70 window=9"),
                        verdict_of(Status::failed, kKnown, "lse"), verdict_of(Status::crashed, kKnown, "SIGSEGV"),
                        verdict_of(Status::failed, kKnown, "value", "plan"), verdict_of(Status::mistrusted, kKnown)}) {
    const Status before = other.status;
    ledger.apply("mine2", other);
    CHECK(other.status == before);
  }
  Verdict elsewhere = verdict_of(Status::failed, kKnown);
  ledger.apply("yours", elsewhere);
  CHECK(elsewhere.status == Status::failed);
  Verdict crash = verdict_of(Status::crashed, "xqa/1 len=5", "SIGSEGV");
  ledger.apply("other", crash);
  CHECK(crash.status == Status::known);
}

TEST_CASE("ledger: an entry whose cases all pass is mended, one that still fails somewhere is not") {
  Ledger ledger(parse_ledger(kText, "l.json"));
  Verdict passed = verdict_of(Status::passed, kKnown, "");
  ledger.apply("mine", passed);
  ledger.apply("mine", passed);
  CHECK(passed.status == Status::passed);
  REQUIRE(ledger.mended().size() == 1);
  CHECK(ledger.mended()[0].entry.place == "l.json, entry 1");
  CHECK(ledger.mended()[0].passed == 2);
  CHECK(ledger.mended()[0].run_line == kKnown);
  Verdict failed_again = verdict_of(Status::failed, kKnown);
  ledger.apply("mine", failed_again);
  CHECK(ledger.mended().empty());
  // A resumed run hands in what it wrote before.
  Ledger resumed(parse_ledger(kText, "l.json"));
  resumed.apply("mine", failed_again);
  resumed.apply("mine", passed);
  CHECK(resumed.mended().empty());
  CHECK(failed_again.notes.size() == 1);
}

TEST_CASE("ledger: what is wrong with a file is named") {
  const std::pair<const char*, const char*> all[] = {
      {"{", "l.json: no JSON at byte 2"},
      {"[]", "l.json: must be an object with \"ledger\" and \"entries\""},
      {R"({"ledger": 2, "entries": []})", "l.json: \"ledger\" must be 1"},
      {R"({"ledger": 1, "entries": {}})", "l.json: \"entries\" must be a list"},
      {R"({"ledger": 1, "entries": [7]})", "l.json, entry 1: must be an object"},
      {R"({"ledger": 1, "entries": [{"property": "golden", "reason": "r", "link": "l"}]})",
       "entry 1: \"kernel\" is missing"},
      {R"({"ledger": 1, "entries": [{"kernel": "k", "property": "golden", "reason": "", "link": "l"}]})",
       "\"reason\" must not be empty"},
      {R"({"ledger": 1, "entries": [{"kernel": "k", "property": "golden", "reason": "r", "link": 5}]})",
       "\"link\" must be text"},
      {R"({"ledger": 1, "entries": [{"kernel": "k", "property": "goldn", "reason": "r", "link": "l"}]})",
       "there is no 'goldn'"},
      {R"({"ledger": 1, "entries": [{"kernl": "k"}]})", "\"kernl\": no such field (did you mean \"kernel\"?)"},
      {R"({"ledger": 1, "entries": [{"case": "xqa/1 kv=e4m3", "kernel": "k", "property": "golden", "reason": "r", "link": "l"}]})",
       "'xqa/1' is neither key=value nor !key"},
      {R"({"ledger": 1, "entries": [{"case": "!kv=e4m3", "kernel": "k", "property": "golden", "reason": "r", "link": "l"}]})",
       "'!kv=e4m3' is neither"},
      {R"({"ledger": 1, "entries": [{"case": "!wndow", "kernel": "k", "property": "golden", "reason": "r", "link": "l"}]})",
       "case lines have no key 'wndow'; did you mean 'window'?"},
  };
  for (const auto& [text, message] : all) {
    INFO(text);
    CHECK_THROWS_WITH(parse_ledger(text, "l.json"), Contains(message));
  }
  CHECK_THROWS_WITH(read_ledger("/nowhere/l.json"), Contains("--ledger: cannot read /nowhere/l.json"));
}
