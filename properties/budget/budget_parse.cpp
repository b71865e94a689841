#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include <xxhash.h>
#include "properties/budget/budget_format.hpp"
#include "properties/errors.hpp"

namespace xqacheck::properties::budget {
namespace {

using nlohmann::json;

// Most of anything that a file may hold: a bad count must not fill the memory.
constexpr std::size_t kMostSamples = 100000, kMostConfigurations = 1000;

// A place in the file, for messages.
class Node {
 public:
  Node(const json& value, std::string place) : value_(value), place_(std::move(place)) {}

  [[noreturn]] void refuse(const std::string& what) const { throw UsageError(fmt::format("{}: {}", place_, what)); }

  Node at(const std::string& key) const {
    if (!value_.is_object()) refuse("must be an object");
    const auto found = value_.find(key);
    if (found == value_.end()) refuse(fmt::format("'{}' is missing", key));
    return Node(*found, fmt::format("{}, {}", place_, key));
  }
  // A key that nobody reads is a slip of a hand ("limitt"), or of a later version.
  void only(std::initializer_list<const char*> known) const {
    for (const std::string& key : keys())
      if (std::find(known.begin(), known.end(), key) == known.end())
        refuse(fmt::format("'{}' is not known here; there is {}", key, fmt::join(known, ", ")));
  }
  bool has(const std::string& key) const { return value_.is_object() && value_.contains(key); }
  std::vector<Node> items(std::size_t most) const {
    if (!value_.is_array()) refuse("must be a list");
    if (value_.size() > most) refuse(fmt::format("has {} entries, at most {} make sense", value_.size(), most));
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < value_.size(); ++i) nodes.emplace_back(value_[i], fmt::format("{} [{}]", place_, i));
    return nodes;
  }
  std::vector<std::string> keys() const {
    if (!value_.is_object()) refuse("must be an object");
    std::vector<std::string> keys;
    for (const auto& item : value_.items()) keys.push_back(item.key());
    return keys;
  }
  double number() const {
    if (value_.is_number()) return value_.get<double>();
    const std::string text = value_.is_string() ? value_.get<std::string>() : "";
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf" || text == "-inf") return text == "inf" ? HUGE_VAL : -HUGE_VAL;
    refuse("must be a number");
  }
  std::uint64_t count() const {
    if (!value_.is_number_unsigned()) refuse("must be a whole number, 0 or more");
    return value_.get<std::uint64_t>();
  }
  bool flag() const {
    if (!value_.is_boolean()) refuse("must be true or false");
    return value_.get<bool>();
  }
  std::string text() const {
    if (!value_.is_string()) refuse("must be a text");
    return value_.get<std::string>();
  }
  std::uint64_t hex() const {
    const std::string digits = text();
    if (digits.size() != 16 || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
      refuse("must be 16 hexadecimal digits");
    return std::stoull(digits, nullptr, 16);
  }

 private:
  const json& value_;
  std::string place_;
};

Metric metric_of(const Node& node, const std::string& key) {
  const auto metric = metric_named(key);
  if (!metric) node.refuse(fmt::format("no metric is called '{}'", key));
  return *metric;
}

MetricBudget parse_metric(const Node& node, const MetricInfo& info, std::size_t samples) {
  node.only({"mean", "low", "high", "spread", "limit", "tolerated", "fixed"});
  MetricBudget m;
  m.measured = {node.at("mean").number(), node.at("low").number(), node.at("high").number(), node.at("spread").number(),
                samples};
  if (!(m.measured.low <= m.measured.mean && m.measured.mean <= m.measured.high))
    node.refuse("low <= mean <= high does not hold");
  if (info.gate != Gate::shown) {
    m.limit = node.at("limit").number();
    if (!(m.limit >= 0)) node.at("limit").refuse("must be 0 or more");
  }
  if (info.gate == Gate::change) {
    m.tolerated = node.at("tolerated").number();
    if (!(m.tolerated >= 0)) node.at("tolerated").refuse("must be 0 or more");
  }
  m.fixed = node.has("fixed") && node.at("fixed").flag();
  return m;
}

void parse_samples(const Node& node, ConfigurationBudget& c, std::size_t count) {
  c.samples.resize(count);
  const Node samples = node.at("samples"), signatures = node.at("signatures"), outputs = node.at("outputs");
  const auto exactly = [&](const Node& list, const std::vector<Node>& items, std::size_t wanted) {
    if (items.size() != wanted) list.refuse(fmt::format("has {} entries instead of {}", items.size(), wanted));
  };
  for (const std::string& key : samples.keys()) {
    const Metric metric = metric_of(samples, key);
    if (!c.metrics[static_cast<std::size_t>(metric)]) samples.refuse(fmt::format("'{}' is not among the metrics", key));
    const std::vector<Node> values = samples.at(key).items(kMostSamples);
    exactly(samples.at(key), values, count);
    for (std::size_t i = 0; i < count; ++i) c.samples[i].values[metric] = values[i].number();
  }
  const std::vector<Node> lines = signatures.items(kMostSamples), hashes = outputs.items(kMostSamples);
  exactly(signatures, lines, count), exactly(outputs, hashes, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<Node> numbers = lines[i].items(kSignature);
    exactly(lines[i], numbers, kSignature);
    for (std::size_t k = 0; k < kSignature; ++k) c.samples[i].signature[k] = numbers[k].number();
    c.samples[i].out_hash = hashes[i].hex();
  }
}

ConfigurationBudget parse_configuration(const Node& node) {
  node.only({"run", "seeds", "metrics", "causes", "samples", "signatures", "outputs", "checksum"});
  ConfigurationBudget c;
  try {
    c.run = reference::parse_run_line(node.at("run").text());
  } catch (const reference::CaseError& error) {
    node.at("run").refuse(error.what());
  }
  if (!c.run.kernel.empty() || c.run.subject.seed != 0)
    node.at("run").refuse("a configuration names neither kernel nor seed: the file's head and 'seeds' do");
  c.first_seed = node.at("seeds").at("first").count();
  const std::uint64_t count = node.at("seeds").at("count").count();
  if (count < 2 || count > kMostSamples)
    node.at("seeds").at("count").refuse(fmt::format("needs 2 to {}", kMostSamples));
  for (const std::string& key : node.at("metrics").keys()) {
    const Metric metric = metric_of(node.at("metrics"), key);
    c.metrics[static_cast<std::size_t>(metric)] = parse_metric(node.at("metrics").at(key), info_of(metric), count);
  }
  for (const Node& cause : node.at("causes").items(64))
    c.causes.push_back(
        {cause.at("step").text(), cause.at("share").number(), cause.at("low").number(), cause.at("high").number()});
  parse_samples(node, c, count);
  for (std::size_t i = 0; i < kMetrics; ++i)
    if (c.metrics[i] && info_of(static_cast<Metric>(i)).gate == Gate::change &&
        c.values_of(static_cast<Metric>(i)).size() != count)
      node.at("samples").refuse(fmt::format("'{}' is missing", info_of(static_cast<Metric>(i)).key));
  if (node.at("checksum").hex() != checksum_of(c))
    node.refuse(
        "the measured values are not those that were written (checksum): limits and notes may be edited, samples not; "
        "measure again with `xqacheck budget check --update`");
  return c;
}

Budget parse_root(const Node& root) {
  const std::string format = root.at("format").text();
  if (format != kBudgetFormat) {
    const bool ours = format.rfind("xqacheck-budget/", 0) == 0;
    root.at("format").refuse(ours ? fmt::format("version '{}' is not read by this tool, which knows {}; use the tool "
                                                "that wrote it, or measure again",
                                                format, kBudgetFormat)
                                  : fmt::format("'{}' is not a budget; it should say {}", format, kBudgetFormat));
  }
  root.only({"format", "provenance", "false_alarm_rate", "configurations"});
  Budget budget;
  const Node p = root.at("provenance");
  p.only({"kernel", "version", "recipe", "device", "tool", "date", "command", "note"});
  budget.provenance = {p.at("kernel").text(), p.at("version").text(), p.at("recipe").text(),  p.at("device").text(),
                       p.at("tool").text(),   p.at("date").text(),    p.at("command").text(), p.at("note").text()};
  if (budget.provenance.kernel.empty()) p.at("kernel").refuse("is empty");
  // A path here would make a check load whatever library a file names.
  if (budget.provenance.kernel.find('/') != std::string::npos)
    p.at("kernel").refuse("must be the name of a kernel, not a path; give the path with --kernel");
  budget.false_alarm_rate = root.at("false_alarm_rate").number();
  if (!(budget.false_alarm_rate > 0 && budget.false_alarm_rate <= 0.1))
    root.at("false_alarm_rate").refuse("needs a rate above 0, at most 0.1");
  for (const Node& node : root.at("configurations").items(kMostConfigurations)) {
    budget.configurations.push_back(parse_configuration(node));
    for (std::size_t i = 0; i + 1 < budget.configurations.size(); ++i)
      if (name_of(budget.configurations[i]) == name_of(budget.configurations.back()))
        node.refuse("the same configuration twice");
  }
  if (budget.configurations.empty()) root.at("configurations").refuse("there are none");
  return budget;
}

}  // namespace

std::uint64_t checksum_of(const ConfigurationBudget& c) {
  std::string text = fmt::format("{} {}\n", name_of(c), c.first_seed);
  for (const StoredSample& sample : c.samples) {
    for (const double x : sample.values.values) text += digits(x) + " ";
    for (const double x : sample.signature) text += digits(x) + " ";
    text += fmt::format("{:016x}\n", sample.out_hash);
  }
  return XXH64(text.data(), text.size(), 0);
}

Budget parse_budget(std::string_view text, const std::string& name) {
  json root;
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  std::string twice;
  const auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      twice = parsed.get<std::string>();
    return true;
  };
  try {
    root = json::parse(text, watch);
  } catch (const json::parse_error& error) {
    const bool torn = text.find_last_not_of(" \n\r\t") == std::string_view::npos || error.byte >= text.size();
    throw UsageError(fmt::format("{}: {}", name,
                                 torn ? std::string("the file is cut off or empty: restore it or measure again")
                                      : fmt::format("not JSON, near byte {}", error.byte)));
  } catch (const json::exception& error) {  // 1e999: JSON, but no number
    const std::string what = error.what();
    throw UsageError(fmt::format("{}: {}", name, what.substr(std::min(what.find("] ") + 2, what.size()))));
  }
  if (!twice.empty())
    throw UsageError(fmt::format("{}: '{}' stands twice in one place: which of them counts?", name, twice));
  return parse_root(Node(root, name));
}

}  // namespace xqacheck::properties::budget
