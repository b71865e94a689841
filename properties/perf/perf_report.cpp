#include "properties/perf/perf_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "properties/tool_version.hpp"

namespace xqacheck::properties::perf {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const Quartiles& q) {
  return {{"least", q.least}, {"q1", q.first}, {"median", q.median}, {"q3", q.third}, {"most", q.most}, {"samples", q.count}};
}

// "1.25x faster", "as fast" where the boxes overlap; "" for the first kernel and where one was refused.
std::string against_first(const CaseTiming& timing, std::size_t index) {
  const Timing& first = timing.kernels.front();
  const Timing& other = timing.kernels[index];
  if (index == 0 || !first.refused.empty() || !other.refused.empty()) return "";
  if (boxes_overlap(first.microseconds, other.microseconds)) return "as fast";
  const double ratio = first.microseconds.median / other.microseconds.median;
  return ratio > 1 ? fmt::format("{:.2f}x faster", ratio) : fmt::format("{:.2f}x slower", 1 / ratio);
}

std::string mebibytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

std::string row(const PerfReport& report, const CaseTiming& timing, std::size_t index, std::size_t width) {
  const Timing& kernel = timing.kernels[index];
  if (!kernel.refused.empty()) return fmt::format("  {:<{}}  not timed: {}\n", kernel.kernel, width, kernel.refused);
  const double speed = achieved(timing, kernel), copy = report.copy.bytes_per_second();
  const Quartiles& q = kernel.microseconds;
  std::string text = fmt::format("  {:<{}} {:>6} {:>10.2f} {:>10.2f} {:>10.2f} {:>8.0f} {:>7.1f} %  {}", kernel.kernel, width,
                                 kernel.splits, q.median, q.first, q.third, speed / 1e9,
                                 copy > 0 ? 100 * speed / copy : 0.0, against_first(timing, index));
  while (text.back() == ' ') text.pop_back();
  return text + "\n";
}

}  // namespace

double achieved(const CaseTiming& timing, const Timing& kernel) {
  if (kernel.microseconds.median <= 0) return 0;
  return static_cast<double>(timing.traffic.total()) / (kernel.microseconds.median * 1e-6);
}

std::string table_of(const PerfReport& report) {
  std::string text = fmt::format("device {}{}{}\ncopy of {}: {:.0f} GB/s read and written (median of {}, {:.1f} us)\n", report.device,
                                 report.toolkit.empty() ? "" : ", ", report.toolkit, mebibytes(report.copy.bytes),
                                 report.copy.bytes_per_second() / 1e9, report.copy.microseconds.count,
                                 report.copy.microseconds.median);
  std::size_t width = 6;
  for (const CaseTiming& timing : report.cases)
    for (const Timing& kernel : timing.kernels) width = std::max(width, kernel.kernel.size());
  for (const CaseTiming& timing : report.cases) {
    text += fmt::format("\n{}\n  K and V {}, the rest {}; {} copies, {}{}\n", timing.case_line,
                        mebibytes(timing.traffic.kv_bytes), mebibytes(timing.traffic.other_bytes), timing.copies.count,
                        mebibytes(timing.copies.bytes),
                        timing.copies.beyond_cache ? "" : ": WITHIN the level 2 cache, times are too good");
    text += fmt::format("  {:<{}} {:>6} {:>10} {:>10} {:>10} {:>8} {:>9}\n", "kernel", width, "splits", "median us", "q1",
                        "q3", "GB/s", "of copy");
    for (std::size_t i = 0; i < timing.kernels.size(); ++i) text += row(report, timing, i, width);
  }
  return text;
}

std::string json_of(const PerfReport& report) {
  ordered_json cases = ordered_json::array();
  for (const CaseTiming& timing : report.cases) {
    ordered_json kernels = ordered_json::array();
    for (std::size_t i = 0; i < timing.kernels.size(); ++i) {
      const Timing& kernel = timing.kernels[i];
      ordered_json json{{"kernel", kernel.kernel},
                        {"version", kernel.version},
                        {"source", i < report.sources.size() ? report.sources[i] : ""}};
      if (!kernel.refused.empty()) {
        json["refused"] = kernel.refused;
      } else {
        const double copy = report.copy.bytes_per_second();
        json.update(ordered_json{{"splits", kernel.splits},
                     {"compiled", kernel.compiled},
                     {"launches_per_sample", kernel.launches},
                     {"microseconds", json_of(kernel.microseconds)},
                     {"bytes_per_second", achieved(timing, kernel)},
                     {"share_of_copy", copy > 0 ? achieved(timing, kernel) / copy : 0.0}});
        if (const std::string text = against_first(timing, i); !text.empty()) json["against_first"] = text;
      }
      kernels.push_back(json);
    }
    cases.push_back({{"case", timing.case_line},
                     {"kv_bytes", timing.traffic.kv_bytes},
                     {"other_bytes", timing.traffic.other_bytes},
                     {"copies", timing.copies.count},
                     {"rotation_bytes", timing.copies.bytes},
                     {"beyond_cache", timing.copies.beyond_cache},
                     {"kernels", kernels}});
  }
  const ordered_json json{
      {"format", "xqacheck-perf/1"},
      {"tool", tool_version()},
      {"command", report.command},
      {"device", report.device},
      {"toolkit", report.toolkit},
      {"host", report.host},
      {"started", report.started},
      {"launching", report.options.in_graph ? "graph" : "stream"},
      {"warm_up_milliseconds", report.options.warm_up_milliseconds},
      {"copy",
       {{"bytes", report.copy.bytes},
        {"microseconds", json_of(report.copy.microseconds)},
        {"bytes_per_second", report.copy.bytes_per_second()}}},
      {"cases", cases}};
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace xqacheck::properties::perf
