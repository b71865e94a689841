#include "reference/run_grammar.hpp"

#include <fmt/format.h>

#include "reference/key_kinds.hpp"
#include "reference/line_text.hpp"

namespace xqacheck::reference {
namespace {

using Text = std::string;
using View = std::string_view;
using Io = KeyIo<RunLine>;

constexpr View kPlacements[] = {"plain", "end", "begin"};
constexpr View kFills[] = {"zero", "nan", "huge", "random"};
constexpr View kLaunches[] = {"plain", "producer", "pdl", "graph", "load"};
constexpr View kDevices[] = {"host", "cuda", "ptx"};
std::span<const View> launch_names() {
  return kLaunches;
}
std::span<const View> placement_names() {
  return kPlacements;
}

RunKey entry(View name, View syntax, View help, Text (*standard)(const RunLine&), Io io) {
  return {name, syntax, help, standard, io.parse, io.print};
}

// Free text; bytes that mean something in a line are written %NN. "" is the default and is never written.
template <auto field>
constexpr Io io_text() {
  return {[](View key, View text, RunLine& r) { r.*field = percent_decode(key, text); },
          [](const RunLine& r) { return percent_encode(r.*field); }};
}

constexpr Io kDevice = {[](View key, View text, RunLine& r) {
                          const std::size_t colon = text.find(':');
                          r.device = static_cast<Device>(read_name(key, text.substr(0, colon), kDevices));
                          r.device_index = colon == View::npos ? 0 : read_u32(key, text.substr(colon + 1));
                        },
                        [](const RunLine& r) {
                          const View name = kDevices[static_cast<std::size_t>(r.device)];
                          return r.device_index == 0 ? Text(name) : fmt::format("{}:{}", name, r.device_index);
                        }};

constexpr Io kPlan = {[](View key, View text, RunLine& r) { r.plan = text == "auto" ? "" : percent_decode(key, text); },
                      [](const RunLine& r) { return r.plan.empty() ? Text("auto") : percent_encode(r.plan); }};

constexpr Io kFill = {
    [](View key, View text, RunLine& r) {
      const std::size_t slash = text.find('/');
      r.scratch = static_cast<Fill>(read_name(key, text.substr(0, slash), kFills));
      r.output = slash == View::npos ? r.scratch : static_cast<Fill>(read_name(key, text.substr(slash + 1), kFills));
    },
    [](const RunLine& r) {
      const View scratch = kFills[static_cast<std::size_t>(r.scratch)];
      const View output = kFills[static_cast<std::size_t>(r.output)];
      return scratch == output ? Text(scratch) : fmt::format("{}/{}", scratch, output);
    }};

Text nothing(const RunLine&) {
  return {};
}
Text zero(const RunLine&) {
  return "0";
}

std::vector<RunKey> make_keys() {
  using R = RunLine;
  return {
      entry("kernel", "NAME or PATH[:NAME]", "the kernel that ran: a built-in one, or a plug-in and its kernel",
            nothing, io_text<&R::kernel>()),
      entry("prop", "NAME", "the property that judged the run", nothing, io_text<&R::property>()),
      entry(
          "device", "host, cuda or cuda:N", "where the kernel ran", [](const R&) -> Text { return "host"; }, kDevice),
      entry(
          "plan", "auto, N or NAME",
          "split plan: the kernel's own, a forced number of sub-sequences, or a plan by name",
          [](const R&) -> Text { return "auto"; }, kPlan),
      entry("sms", "N", "multiprocessors that the split plan counts on; 0: those of the device", zero,
            io_u32<R, &R::sm_count>()),
      entry(
          "place", "NAME", "buffers in ordinary memory (plain), flush against unmapped memory at their end, or begin",
          [](const R&) -> Text { return "plain"; }, io_name<R, &R::place, placement_names>()),
      entry(
          "fill", "S or S/O", "what workspace and output hold before the run: zero nan huge random",
          [](const R&) -> Text { return "nan"; }, kFill),
      entry("fillseed", "N", "seed of fill=random", zero, io_u64<R, &R::fill_seed>()),
      entry(
          "runs", "N", "launches on one prepared kernel; the last one counts", [](const R&) -> Text { return "1"; },
          io_u32<R, &R::runs>()),
      entry("pdl", "0 or 1", "launched with programmatic dependent launch", zero, io_flag<R, &R::pdl>()),
      entry(
          "launch", "NAME",
          "what surrounds the launch: plain, inputs by a producer kernel, that under pdl, a graph, load "
          "on another stream",
          [](const R&) -> Text { return "plain"; }, io_name<R, &R::launch, launch_names>()),
      entry("tool", "VERSION", "version of the tool that wrote the line", nothing, io_text<&R::tool>()),
  };
}

}  // namespace

const std::vector<RunKey>& run_keys() {
  static const std::vector<RunKey> keys = make_keys();
  return keys;
}

}  // namespace xqacheck::reference
