// Budget files: what is written is read again, and what is broken is refused with the reason.
#include <cmath>
#include <string>

#include "properties/budget/budget.hpp"
#include "properties/errors.hpp"
#include "tests/catch.hpp"

using namespace xqacheck;
using namespace xqacheck::properties;
using namespace xqacheck::properties::budget;

namespace {

SampleSet made_samples(std::size_t count) {
  SampleSet set;
  for (std::size_t s = 0; s < count; ++s) {
    Sample sample;
    sample.seed = s + 1, sample.out_hash = 0x1234567890abcdefu + s;
    for (std::size_t i = 0; i < kMetrics; ++i) sample.measured.values.values[i] = 0.01 * static_cast<double>(i + 1) + 0.001 * std::sqrt(static_cast<double>(s + 1));
    sample.measured.values[Metric::logit_rms] = std::nan("");  // a kernel without a recipe
    for (std::size_t k = 0; k < kSignature; ++k) sample.measured.signature[k] = 1.0 / static_cast<double>(3 + k + s);
    set.samples.push_back(sample);
  }
  return set;
}

Budget made_budget() {
  Budget budget;
  budget.provenance = {"mine", "1.2", "", "NVIDIA H200", "0.1.0", "2026-01-31T12:00:00Z", "xqacheck budget measure", "a \"note\""};
  for (const char* line : {"xqa/1 len=65 kv=e4m3", "xqa/1 len=4096x2 kv=e4m3 data=outlier @ plan=4"})
    budget.configurations.push_back(budget_of(reference::parse_run_line(line), 5, made_samples(6)));
  budget.configurations[1].causes = {{"p", 0.5, 0.4, 0.6}};
  return budget;
}

std::string refusal(const std::string& text) {
  try {
    parse_budget(text, "file.json");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

void refused(const std::string& text, const std::string& reason) {
  INFO(reason);
  const std::string why = refusal(text);
  INFO(why);
  CHECK(why.rfind("file.json", 0) == 0);
  CHECK(why.find(reason) != std::string::npos);
}

}  // namespace

TEST_CASE("what is written is read again") {
  const Budget budget = made_budget();
  const std::string text = text_of(budget);
  const Budget again = parse_budget(text, "x");
  CHECK(text_of(again) == text);
  CHECK(difference(budget, again).empty());
  CHECK(again.configurations.size() == 2);
  CHECK(again.configurations[1].run.forced_splits() == 4);
  CHECK(again.configurations[0].first_seed == 5);
  CHECK_FALSE(again.configurations[0].metrics[static_cast<std::size_t>(Metric::logit_rms)].has_value());
}

TEST_CASE("limits may be edited by hand, measured values not") {
  const std::string text = text_of(made_budget());
  const std::size_t at = text.find("\"limit\": ");
  const std::string edited = text.substr(0, at) + "\"limit\": 0.5" + text.substr(text.find_first_of(",}", at));
  CHECK(parse_budget(edited, "x").configurations[0].metrics[0]->limit == 0.5);
  const std::size_t sample = text.find("\"samples\": {\n    \"rel_l2\": [");
  REQUIRE(sample != std::string::npos);
  std::string forged = text;
  forged[text.find_first_of("123456789", sample + 28)] = '9';
  refused(forged, "checksum");
}

TEST_CASE("corrupt, truncated and foreign files are refused with the reason") {
  const std::string text = text_of(made_budget());
  refused("", "cut off or empty");
  for (const std::size_t length : {1ul, 20ul, text.size() / 4, text.size() / 2, text.size() - 3})
    refused(text.substr(0, length), "cut off or empty");
  refused("\x7f" "ELF", "not JSON, near byte 1");
  refused(with(text, "\"provenance\"", "provenance"), "not JSON, near byte");
  refused(with(text, "xqacheck-budget/1", "xqacheck-budget/2"), "version 'xqacheck-budget/2' is not read by this tool");
  refused(with(text, "xqacheck-budget/1", "other"), "'other' is not a budget");
  refused("[]", "must be an object");
  refused(with(text, "\"kernel\": \"mine\",", ""), "provenance: 'kernel' is missing");
  refused(with(text, "\"count\": 6", "\"count\": 7"), "has 6 entries instead of 7");
  refused(with(text, "\"count\": 6", "\"count\": 1"), "needs 2 to");
  refused(with(text, "\"count\": 6", "\"count\": -6"), "whole number");
  refused(with(text, "\"rel_l2\": {", "\"rel_l3\": {"), "no metric is called 'rel_l3'");
  refused(with(text, "\"limit\": ", "\"limit\": -"), "must be 0 or more");
  refused(with(text, "xqa/1 len=65 kv=e4m3", "xqa/1 len=65 kv=e5m2"), "kv");
  refused(with(text, "xqa/1 len=65 kv=e4m3", "xqa/1 len=65 kv=e4m3 seed=3"), "neither kernel nor seed");
  refused(with(text, "\"false_alarm_rate\": 0.0001", "\"false_alarm_rate\": 0"), "above 0");
  refused(with(text, "xqa/1 len=65 kv=e4m3", "xqa/1 len=128 kv=e4m3"), "checksum");
}

// Every single byte removed or replaced gives a refusal or the same measured values: nothing is taken silently.
TEST_CASE("damaged bytes are noticed or harmless") {
  const Budget budget = made_budget();
  const std::string text = text_of(budget);
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < text.size(); i += 7) {
    std::string damaged = text;
    damaged[i] = damaged[i] == '7' ? '8' : '7';
    try {
      const Budget read = parse_budget(damaged, "x");
      ++accepted;
      for (std::size_t c = 0; c < 2; ++c) {
        CHECK(read.configurations[c].values_of(Metric::rel_l2) == parse_budget(text, "x").configurations[c].values_of(Metric::rel_l2));
        CHECK(name_of(read.configurations[c]) == name_of(budget.configurations[c]));
      }
    } catch (const UsageError&) {
    }
  }
  CHECK(accepted < text.size() / 14);  // texts and limits are a small part of the file
}
