#include "properties/report/resume.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "properties/errors.hpp"

namespace xqacheck::properties {
namespace {

using nlohmann::json;

// What decides which verdicts a run gives. The command, the jobs, the machine and the time may differ.
void require_same_run(const json& before, const RunHeader& header) {
  const json now = json::parse(json_of(header));
  for (const char* key : {"format", "tool", "abi", "seed", "cases", "shard", "shards", "properties", "kernels"}) {
    const json then = before.value(key, json());
    if (then != now.at(key))
      throw UsageError(fmt::format(
          "--resume: the results are of another run: {} was {}, now it is {}; leave out --resume or name another file",
          key, then.dump(), now.at(key).dump()));
  }
}

struct Scan {
  std::size_t header_end = 0;
  std::size_t last_case = 0;     // where the verdicts of the last case begin
  std::size_t verdicts_end = 0;  // end of the last verdict
  std::string kernel;            // of the last case
  std::uint64_t number = 0;
  bool shrunk_after = false;  // shrunk lines follow the last verdict
  bool any = false;
};

Scan scan(std::string_view text) {
  Scan found;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', begin)) {
    const json line = json::parse(text.substr(begin, end - begin));
    const std::string type = line.at("type");
    if (type == "header") found.header_end = end + 1;
    if (type == "shrunk") found.shrunk_after = true;
    if (type == "verdict") {
      const std::string kernel = line.at("kernel");
      const std::uint64_t number = line.at("number");
      if (!found.any || kernel != found.kernel || number != found.number) found.last_case = begin;
      found.kernel = kernel, found.number = number;
      found.verdicts_end = end + 1, found.shrunk_after = false, found.any = true;
    }
    begin = end + 1;
  }
  return found;
}

}  // namespace

ResumePoint resume_point(std::string_view text, const RunHeader& header) {
  ResumePoint point;
  const std::size_t first_end = text.find('\n');
  if (first_end == std::string_view::npos) return point;  // killed before the header was written
  Results results = parse_results(text);
  require_same_run(json::parse(text.substr(0, first_end)), header);
  const Scan found = scan(text);
  point.finished = results.exit_code.has_value();
  point.verdicts = std::move(results.verdicts);
  for (const ResultLine& line : results.shrunk)
    if (point.finished || !found.shrunk_after || line.kernel != found.kernel) point.shrunk.insert(line.kernel);
  if (point.finished) {
    point.kept_bytes = text.rfind('\n', text.size() - 2) + 1;  // all but the summary, which is written anew
  } else if (found.shrunk_after) {
    point.kept_bytes = found.verdicts_end;  // the last case is whole; shrinking begins again
  } else {
    point.kept_bytes = found.any ? found.last_case : found.header_end;
    std::erase_if(point.verdicts, [&](const ResultLine& line) {
      return line.kernel == found.kernel && line.case_number == found.number;
    });
  }
  return point;
}

}  // namespace xqacheck::properties
