#include "properties/budget/default_configurations.hpp"

#include <fmt/format.h>

#include <charconv>

#include "properties/errors.hpp"
#include "reference/case_error.hpp"
#include "reference/case_limits.hpp"

namespace xqacheck::properties::budget {
namespace {

// Two KV heads with a group of eight, mostly two requests: 2,048 or 4,096 output elements a
// sample. One split and the kernel's own plan, because partials and merges err differently from long accumulations; the
// kinds of data that quantised attention is known to suffer from; and one shape that is no round number anywhere.
constexpr const char* kLines[] = {
    "xqa/1 heads=16/2 len=64x2",
    "xqa/1 heads=16/2 len=1024x2",
    "xqa/1 heads=16/2 len=4096x2",
    "xqa/1 heads=16/2 len=4096x2 @ plan=1",
    "xqa/1 heads=16/2 len=4096 data=outlier",
    "xqa/1 heads=16/2 len=4096 data=massive",
    "xqa/1 heads=16/2 len=1024x2 data=heavy",
    "xqa/1 heads=16/2 len=1024x2 data=peaky5",
    "xqa/1 heads=12/4 dim=64 len=1000,333 page=16 sinks=2",
};

std::uint32_t number(std::string_view text, const std::string& range) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value == 0)
    throw UsageError(fmt::format("--ladder {}: needs two lengths like 64..131072", reference::printable(range)));
  return value;
}

}  // namespace

std::vector<reference::RunLine> default_configurations(const std::string& cache_format) {
  if (cache_format != "e4m3" && cache_format != "int8" && cache_format != "bf16" && cache_format != "fp16")
    throw UsageError(fmt::format("--set {}: there is e4m3, int8, bf16, fp16", reference::printable(cache_format)));
  std::vector<reference::RunLine> runs;
  for (std::string line : kLines) {
    std::string keys = cache_format == "fp16" ? " q=fp16" : cache_format == "bf16" ? "" : " kv=" + cache_format;
    line.insert(std::min(line.find(" @"), line.size()), keys);
    runs.push_back(reference::parse_run_line(line));
  }
  return runs;
}

std::vector<reference::RunLine> ladder(const reference::RunLine& run, const std::string& range) {
  const std::size_t dots = range.find("..");
  const std::string_view text = range;
  const std::uint32_t first = number(text.substr(0, dots), range);
  const std::uint32_t last = dots == std::string::npos ? first : number(text.substr(dots + 2), range);
  if (first > last) throw UsageError(fmt::format("--ladder {}: the first length is the smaller one", range));
  std::vector<reference::RunLine> runs;
  for (std::uint64_t length = first; length <= last; length *= 2) {
    reference::RunLine rung = run;
    for (std::uint32_t& len : rung.subject.lens) len = static_cast<std::uint32_t>(length);
    rung.subject = reference::settled(rung.subject);
    reference::validate(rung);
    runs.push_back(rung);
  }
  return runs;
}

}  // namespace xqacheck::properties::budget
