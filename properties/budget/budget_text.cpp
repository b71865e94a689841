// Writing budget files: JSON, one metric a line, numbers in seven digits so that reading and writing again gives the
// same text.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "properties/budget/budget.hpp"
#include "properties/budget/budget_format.hpp"

namespace xqacheck::properties::budget {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <class Range, class Print>
std::string list(const Range& range, Print print) {
  std::string text = "[";
  for (const auto& item : range) text += (text.size() > 1 ? ", " : "") + print(item);
  return text + "]";
}

std::string metric_line(const MetricInfo& info, const MetricBudget& m) {
  std::string text =
      fmt::format("\"{}\": {{\"mean\": {}, \"low\": {}, \"high\": {}, \"spread\": {}", info.key,
                  digits(m.measured.mean), digits(m.measured.low), digits(m.measured.high), digits(m.measured.spread));
  if (info.gate != Gate::shown) text += fmt::format(", \"limit\": {}", digits(m.limit));
  if (info.gate == Gate::change) text += fmt::format(", \"tolerated\": {}", digits(m.tolerated));
  if (m.fixed) text += ", \"fixed\": true";
  return text + "}";
}

// `"key": [...]` for every metric that samples are remembered of.
std::string sample_lines(const ConfigurationBudget& c) {
  std::string text;
  for (std::size_t i = 0; i < kMetrics; ++i) {
    if (!c.metrics[i] || c.values_of(static_cast<Metric>(i)).size() != c.samples.size()) continue;
    text += fmt::format("{}\n    \"{}\": {}", text.empty() ? "" : ",", info_of(static_cast<Metric>(i)).key,
                        list(c.samples, [&](const StoredSample& s) { return digits(s.values.values[i]); }));
  }
  return text;
}

std::string configuration_text(const ConfigurationBudget& c) {
  std::string metrics, causes;
  for (std::size_t i = 0; i < kMetrics; ++i)
    if (c.metrics[i])
      metrics += (metrics.empty() ? "\n    " : ",\n    ") + metric_line(info_of(static_cast<Metric>(i)), *c.metrics[i]);
  for (const StoredCause& cause : c.causes)
    causes +=
        fmt::format("{}\n    {{\"step\": {}, \"share\": {}, \"low\": {}, \"high\": {}}}", causes.empty() ? "" : ",",
                    quoted(cause.step), digits(cause.share), digits(cause.low), digits(cause.high));
  return fmt::format(
      "  {{\"run\": {},\n   \"seeds\": {{\"first\": {}, \"count\": {}}},\n   \"metrics\": {{{}}},\n   \"causes\": "
      "[{}],\n"
      "   \"samples\": {{{}}},\n   \"signatures\": {},\n   \"outputs\": {},\n   \"checksum\": \"{:016x}\"}}",
      quoted(name_of(c)), c.first_seed, c.samples.size(), metrics, causes, sample_lines(c),
      list(c.samples, [](const StoredSample& s) { return list(s.signature, [](double x) { return digits(x); }); }),
      list(c.samples, [](const StoredSample& s) { return fmt::format("\"{:016x}\"", s.out_hash); }), checksum_of(c));
}

}  // namespace

std::string digits(double x) {
  return std::isfinite(x) ? fmt::format("{:.7g}", x) : std::isnan(x) ? "\"nan\"" : x > 0 ? "\"inf\"" : "\"-inf\"";
}

std::string text_of(const Budget& budget) {
  const Provenance& p = budget.provenance;
  std::string configurations;
  for (const ConfigurationBudget& c : budget.configurations)
    configurations += (configurations.empty() ? "\n" : ",\n") + configuration_text(c);
  return fmt::format(
      "{{\"format\": \"{}\",\n \"provenance\": {{\n  \"kernel\": {},\n  \"version\": {},\n  \"recipe\": {},\n"
      "  \"device\": {},\n  \"tool\": {},\n  \"date\": {},\n  \"command\": {},\n  \"note\": {}}},\n"
      " \"false_alarm_rate\": {},\n \"configurations\": [{}]}}\n",
      kBudgetFormat, quoted(p.kernel), quoted(p.version), quoted(p.recipe), quoted(p.device), quoted(p.tool),
      quoted(p.date), quoted(p.command), quoted(p.note), digits(budget.false_alarm_rate), configurations);
}

}  // namespace xqacheck::properties::budget
