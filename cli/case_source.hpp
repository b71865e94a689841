// The cases that a command line asks for: --case, --corpus and random ones, in this order, and the part of a shard.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "properties/corpus.hpp"
#include "properties/profile.hpp"

namespace CLI {
class App;
}

namespace xqacheck::cli {

struct CaseOptions {
  std::vector<std::string> lines;    // --case
  std::vector<std::string> corpora;  // --corpus
  std::int64_t cases = -1;           // --cases; -1: 200 if no case is given otherwise
  std::uint64_t seed = 0;            // --seed
  std::string shard = "1/1";         // --shard i/n
  std::vector<std::string> draws;    // --draw: what random cases may contain
  bool all_features = false;         // --all-features: also draw what the kernel says it does not support
};

void add_case_options(CLI::App& command, CaseOptions& options);

class CaseSource {
 public:
  // Reads corpora. Throws UsageError that names the option or the line.
  explicit CaseSource(const CaseOptions& options);

  std::uint64_t total() const { return given_.size() + random_; }  // over all shards
  std::uint64_t random() const { return random_; }
  std::uint64_t seed() const { return seed_; }
  std::uint32_t shard() const { return shard_; }
  std::uint32_t shards() const { return shards_; }
  std::vector<std::uint64_t> numbers() const;  // of this shard

  // Case `number` on `kernel`; random ones from `profile`.
  properties::CorpusEntry at(std::uint64_t number, const std::string& kernel, const properties::Profile& profile) const;

 private:
  std::vector<properties::CorpusEntry> given_;
  std::uint64_t random_ = 0, seed_ = 0;
  std::uint32_t shard_ = 0, shards_ = 1;
};

}  // namespace xqacheck::cli
