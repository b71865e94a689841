// Ledger: failures that are known, with the reason. A failure that an entry matches is KNOWN and fails no run; an entry
// whose cases all pass is loud, so that it leaves the ledger when the fault is mended.
//
// A ledger is a JSON file (doc/ledger.md):
//   { "ledger": 1, "entries": [ { "case": "kv=e4m3 draft=*", "kernel": "mykernel", "property": "golden",
//                                 "kind": "value", "reason": "…", "link": "https://…" } ] }
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "properties/verdict.hpp"

namespace xqacheck::properties {

struct LedgerEntry {
  std::string case_pattern, kernel, property, kind;  // patterns; kind: "" for any
  std::string reason, link;
  std::string place;  // "ledger.json, entry 2"
};

// Entries of one file. Throws UsageError that names file, entry and field.
std::vector<LedgerEntry> parse_ledger(std::string_view text, const std::string& name);
// A file, or every *.json of a folder in order of name.
std::vector<LedgerEntry> read_ledger(const std::string& path);

// `pattern`: words that must all hold of the case line. `key=glob`: the line has the key, and its value matches (`*`
// any characters, `?` one); `!key`: the key holds its default, so the line leaves it out. "": every case.
bool matches_case(std::string_view pattern, const reference::Case& subject);
bool matches_glob(std::string_view glob, std::string_view text);

class Ledger {
 public:
  Ledger() = default;
  explicit Ledger(std::vector<LedgerEntry> entries) : entries_(std::move(entries)), seen_(entries_.size()) {}

  // Makes a failure that an entry matches KNOWN, and remembers which entries failed and which passed.
  void apply(const std::string& kernel, Verdict& verdict);

  struct Mended {
    LedgerEntry entry;
    std::uint64_t passed = 0;
    std::string run_line;  // of the first case that passed
  };
  // Entries that matched cases, all of which passed.
  std::vector<Mended> mended() const;

 private:
  struct Seen {
    std::uint64_t failed = 0, passed = 0;
    std::string first_passed;
  };
  std::vector<LedgerEntry> entries_;
  std::vector<Seen> seen_;
};

}  // namespace xqacheck::properties
