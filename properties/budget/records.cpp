#include "properties/budget/records.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace xqacheck::properties::budget {
namespace {

using nlohmann::ordered_json;

constexpr const char* kKinds[] = {"size", "balance", "share"};
constexpr const char* kGates[] = {"shown", "limit", "change"};

// JSON has no NaN or Inf: they become strings.
ordered_json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

std::string line_of(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json interval(const MetricInfo& info, const Interval& i) {
  return {{"kind", kKinds[static_cast<int>(info.kind)]},
          {"gate", kGates[static_cast<int>(info.gate)]},
          {"mean", number(i.mean)},
          {"low", number(i.low)},
          {"high", number(i.high)},
          {"spread", number(i.spread)}};
}

ordered_json head(const char* mode, const std::string& kernel, std::uint64_t number_of_case, const std::string& run,
                  std::uint32_t tokens) {
  return {{"type", "budget"}, {"mode", mode}, {"number", number_of_case},
          {"kernel", kernel}, {"run", run},   {"tokens", tokens}};
}

}  // namespace

std::string record_of(const ConfigurationBudget& measured, const SampleSet& set, const std::string& kernel,
                      std::uint64_t number_of_case) {
  ordered_json json = head("measure", kernel, number_of_case, name_of(measured), measured.run.subject.max_len());
  json["first_seed"] = measured.first_seed, json["samples"] = measured.samples.size();
  json["splits"] = set.route.splits, json["device"] = set.route.device, json["seconds"] = set.seconds;
  for (std::size_t i = 0; i < kMetrics; ++i) {
    if (!measured.metrics[i]) continue;
    const MetricInfo& info = info_of(static_cast<Metric>(i));
    json["metrics"][info.key] = interval(info, measured.metrics[i]->measured);
  }
  return line_of(json);
}

std::string record_of(const ConfigurationFinding& finding, const std::string& kernel, std::uint64_t number_of_case) {
  const Verdict& v = finding.verdict;
  ordered_json json = head("check", kernel, number_of_case, v.run_line, v.subject.max_len());
  json["status"] = name_of(v.status), json["kind"] = v.kind, json["samples"] = finding.samples;
  json["splits"] = v.route.splits, json["device"] = v.route.device, json["seconds"] = v.seconds;
  json["paired"] = finding.paired, json["identical"] = finding.identical, json["cosine"] = number(finding.cosine);
  json["profile_changed"] = finding.profile_changed, json["warnings"] = finding.warnings;
  for (const MetricFinding& f : finding.metrics) {
    const MetricInfo& info = info_of(f.metric);
    ordered_json metric = interval(info, f.now);
    metric["then"] = number(f.then);
    if (info.gate != Gate::shown) metric["limit"] = number(f.limit);
    if (info.gate == Gate::change) {
      metric["change"] = number(f.change.mean), metric["tolerated"] = number(f.tolerated);
      metric["change_low"] = number(f.change.low), metric["change_high"] = number(f.change.high);
    }
    metric["answer"] = name_of(f.answer);
    json["metrics"][info.key] = metric;
  }
  return line_of(json);
}

std::string record_of(const reference::RunLine& run, const CauseSplit& split, const std::vector<WhatIfResult>& tried,
                      const std::string& kernel, std::uint64_t number_of_case) {
  ordered_json json{{"type", "causes"},
                    {"number", number_of_case},
                    {"kernel", kernel},
                    {"run", reference::print_run_line(run)},
                    {"tokens", run.subject.max_len()},
                    {"samples", split.samples.size()},
                    {"total", number(split.total.mean)},
                    {"total_low", number(split.total.low)},
                    {"total_high", number(split.total.high)},
                    {"interaction", number(split.interaction)}};
  json["steps"] = ordered_json::array();
  for (const Cause& cause : split.causes)
    json["steps"].push_back({{"step", cause.step},
                             {"share", number(cause.share.mean)},
                             {"low", number(cause.share.low)},
                             {"high", number(cause.share.high)},
                             {"alone", number(cause.alone)},
                             {"removed", number(cause.removed)}});
  json["what_if"] = ordered_json::array();
  for (const WhatIfResult& r : tried)
    json["what_if"].push_back({{"name", r.name},
                               {"nmse", number(r.nmse.mean)},
                               {"low", number(r.nmse.low)},
                               {"high", number(r.nmse.high)},
                               {"change", number(r.change.mean)}});
  return line_of(json);
}

std::string record_of_stored_causes(const ConfigurationBudget& budget, const std::string& kernel,
                                    std::uint64_t number_of_case) {
  const auto& nmse = budget.metrics[static_cast<std::size_t>(Metric::nmse)];
  const double total = nmse ? nmse->measured.mean : 1;
  ordered_json json{{"type", "causes"},
                    {"number", number_of_case},
                    {"kernel", kernel},
                    {"run", name_of(budget)},
                    {"tokens", budget.run.subject.max_len()},
                    {"total", number(total)}};
  json["steps"] = ordered_json::array();
  for (const StoredCause& cause : budget.causes)
    json["steps"].push_back({{"step", cause.step},
                             {"share", number(cause.share * total)},
                             {"low", number(cause.low * total)},
                             {"high", number(cause.high * total)}});
  return line_of(json);
}

}  // namespace xqacheck::properties::budget
