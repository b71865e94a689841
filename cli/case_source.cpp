#include "cli/case_source.hpp"

#include <fmt/format.h>
#include <cstdlib>

#include <CLI/CLI.hpp>
#include <charconv>

#include "properties/errors.hpp"
#include "properties/generate.hpp"

namespace xqacheck::cli {
namespace {

using properties::UsageError;

constexpr std::uint64_t kUsualCases = 200;       // a first look that takes seconds
constexpr std::int64_t kMostCases = 10'000'000;  // days: more is a typing error
constexpr std::uint32_t kMostShards = 1'000'000;

// The PTX machine takes about a microsecond for an instruction of a warp, all checks on: a run of such a case stays
// below a second, and a property runs a case up to thirty times.
constexpr properties::SizeLimits kMachineLimits{300'000, 150'000};

bool on_ptx_machine() {
  const char* device = std::getenv("XQACHECK_DEVICE");
  return device != nullptr && std::string_view(device) == "ptx";
}

bool read_number(std::string_view text, std::uint32_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

}  // namespace

void add_case_options(CLI::App& command, CaseOptions& options) {
  command.add_option("--case", options.lines, "A case or run line; may be given several times")->type_name("LINE");
  command.add_option("--corpus", options.corpora, "A file of case or run lines; may be given several times")
      ->type_name("FILE");
  command.add_option("--cases", options.cases, "Number of random cases (200 if no --case or --corpus is given)")
      ->type_name("N");
  command.add_option("--seed", options.seed, "Seed of the random cases (0)")
      ->type_name("S")
      ->check(CLI::NonNegativeNumber);
  command
      .add_option("--shard", options.shard,
                  "Run part I of N of the cases, I from 1 to N; the parts cover each case once")
      ->type_name("I/N");
  command
      .add_option(
          "--draw", options.draws,
          "Restrict the random cases: KEY=VALUE,VALUE for dim, page, kv, mask …, KEY=off for window, beam …; may "
          "be given several times (doc/verify.md)")
      ->type_name("KEY=VALUES");
  command.add_flag("--all-features", options.all_features, "Draw also what the kernel says it does not support");
}

CaseSource::CaseSource(const CaseOptions& options) : seed_(options.seed) {
  const std::size_t slash = options.shard.find('/');
  const bool readable = slash != std::string::npos &&
                        read_number(std::string_view(options.shard).substr(0, slash), shard_) &&
                        read_number(std::string_view(options.shard).substr(slash + 1), shards_);
  if (!readable || shard_ < 1 || shard_ > shards_ || shards_ > kMostShards)
    throw UsageError(fmt::format("--shard {}: needs I/N with I from 1 to N, for example 2/4", options.shard));
  --shard_;
  if (options.cases < -1 || options.cases == 0 || options.cases > kMostCases)
    throw UsageError(fmt::format("--cases {}: needs a number from 1 to {}", options.cases, kMostCases));
  for (std::size_t i = 0; i < options.lines.size(); ++i)
    given_.push_back(properties::parse_entry(options.lines[i], "--case"));
  for (const std::string& path : options.corpora)
    for (properties::CorpusEntry& entry : properties::read_corpus(path)) given_.push_back(std::move(entry));
  random_ = options.cases >= 0 ? static_cast<std::uint64_t>(options.cases) : given_.empty() ? kUsualCases : 0;
}

std::vector<std::uint64_t> CaseSource::numbers() const {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = shard_; i < total(); i += shards_) numbers.push_back(i);
  return numbers;
}

properties::CorpusEntry CaseSource::at(std::uint64_t number, const std::string& kernel,
                                       const properties::Profile& profile) const {
  properties::CorpusEntry entry;
  if (number < given_.size()) {
    entry = given_[number];
  } else {
    entry.run.subject = properties::draw_case(seed_, number - given_.size(), profile,
                                              on_ptx_machine() ? kMachineLimits : properties::SizeLimits{});
    entry.place = fmt::format("random case {}", number - given_.size());
  }
  entry.run.kernel = kernel;
  // So that the printed line says where it ran; `repro` goes there again.
  if (on_ptx_machine()) entry.run.device = reference::Device::ptx;
  return entry;
}

}  // namespace xqacheck::cli
