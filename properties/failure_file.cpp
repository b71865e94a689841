#include "properties/failure_file.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <cctype>
#include <charconv>
#include <map>

#include "properties/corpus.hpp"
#include "properties/edit_problem.hpp"
#include "properties/errors.hpp"
#include "properties/tool_version.hpp"

namespace xqacheck::properties {
namespace {

constexpr std::string_view kTitle = "# xqacheck failure 1";

std::string one_line(std::string text) {
  for (char& c : text)
    if (std::iscntrl(static_cast<unsigned char>(c))) c = ' ';
  return text;
}

std::uint64_t read_hash(const std::string& text, const std::string& key, const std::string& name) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.size() != 16 || error != std::errc{} || end != text.data() + text.size())
    throw UsageError(fmt::format("{}: {} '{}': needs 16 hexadecimal digits", name, key, text));
  return value;
}

}  // namespace

SavedFailure saved_failure(const Verdict& verdict, const std::string& found, std::uint64_t problem_hash) {
  SavedFailure failure;
  failure.tool = tool_version();
  failure.abi = XQACHECK_ABI_VERSION;
  failure.status = name_of(verdict.status);
  failure.kind = one_line(verdict.kind);
  failure.message = one_line(verdict.message);
  failure.found = found;
  failure.problem_hash = problem_hash;
  failure.out_hash = verdict.out_hash;
  failure.run = reference::parse_run_line(verdict.run_line);
  return failure;
}

std::string text_of(const SavedFailure& failure) {
  return fmt::format(
      "{}\n# tool: {}\n# abi: {}\n# status: {}\n# kind: {}\n# message: {}\n# found: {}\n# problem-xxh64: {:016x}\n"
      "# output-xxh64: {:016x}\n# replay with: xqacheck repro <this file>\n{}\n",
      kTitle, failure.tool, failure.abi, failure.status, failure.kind, failure.message, failure.found,
      failure.problem_hash, failure.out_hash, reference::print_run_line(failure.run));
}

bool is_failure_file(std::string_view text) {
  return text.starts_with("# xqacheck failure ");
}

SavedFailure parse_failure(std::string_view text, const std::string& name) {
  if (text.substr(0, text.find('\n')) != kTitle)
    throw UsageError(fmt::format("{}: begins with '{}', this tool reads '{}'", name,
                                 reference::printable(text.substr(0, text.find('\n'))), kTitle));
  std::map<std::string, std::string> fields;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::size_t colon = line.find(": ");
    if (line.starts_with("# ") && colon != std::string_view::npos)
      fields.emplace(line.substr(2, colon - 2), line.substr(colon + 2));
  }
  for (const char* key : {"tool", "abi", "status", "problem-xxh64", "output-xxh64"})
    if (!fields.contains(key)) throw UsageError(fmt::format("{}: the line '# {}: …' is missing", name, key));
  SavedFailure failure;
  failure.tool = fields["tool"];
  if (failure.tool != tool_version())
    throw UsageError(fmt::format(
        "{}: stale: saved by xqacheck {}, this is {}; run its case line afresh with: xqacheck verify --case", name,
        failure.tool, tool_version()));
  if (fields["abi"] != std::to_string(XQACHECK_ABI_VERSION))
    throw UsageError(fmt::format("{}: stale: saved with kernel interface {}, this tool speaks {}", name, fields["abi"],
                                 XQACHECK_ABI_VERSION));
  failure.abi = XQACHECK_ABI_VERSION;
  failure.status = fields["status"], failure.kind = fields["kind"];
  if (!status_named(failure.status))
    throw UsageError(fmt::format("{}: status '{}': no such status", name, reference::printable(failure.status)));
  failure.message = fields["message"], failure.found = fields["found"];
  failure.problem_hash = read_hash(fields["problem-xxh64"], "problem-xxh64", name);
  failure.out_hash = read_hash(fields["output-xxh64"], "output-xxh64", name);
  const auto entries = parse_corpus(text, name);
  if (entries.size() != 1)
    throw UsageError(fmt::format("{}: holds {} run lines, needs exactly one", name, entries.size()));
  failure.run = entries.front().run;
  return failure;
}

void refuse_other_data(const SavedFailure& failure, std::uint64_t problem_hash, const std::string& name) {
  if (failure.problem_hash == problem_hash) return;
  throw UsageError(
      fmt::format("{}: stale: the tensors of this case have xxh64 {:016x} now, {:016x} when it was saved; the line was "
                  "edited or the data kinds changed. Run its case line afresh with: xqacheck verify --case",
                  name, problem_hash, failure.problem_hash));
}

std::string file_name_of(const SavedFailure& failure) {
  const std::string line = reference::print_run_line(failure.run);
  const std::string& spec = failure.run.kernel;
  std::string kernel = spec.substr(spec.find_last_of('/') + 1);
  for (char& c : kernel)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '_';
  return fmt::format("{}-{}-{:016x}.txt", kernel, failure.run.property, XXH64(line.data(), line.size(), 0));
}

std::uint64_t hash_of(const reference::Problem& problem) {
  XXH64_state_t state;
  XXH64_reset(&state, 0);
  for (const reference::HostBuffer& tensor : problem.tensors) {
    const std::uint64_t bytes = tensor.size();
    XXH64_update(&state, &bytes, sizeof bytes);
    if (bytes > 0 && bytes <= kLargestEditedPool) XXH64_update(&state, tensor.data(), tensor.size());
  }
  return XXH64_digest(&state);
}

}  // namespace xqacheck::properties
