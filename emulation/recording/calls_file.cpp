#include "emulation/recording/calls_file.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulation/recording/scalars.hpp"
#include "reference/case_line.hpp"
#include "reference/gather.hpp"

namespace xqacheck::emulation {

namespace {

using nlohmann::ordered_json;
using reference::TensorId;

constexpr const char* kFormat = "xqacheck-calls/1";

std::string hex_of(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

std::string digest(XXH3_state_t& state) {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

// Reads the lines of one file; every complaint names the line.
class CallsReader {
 public:
  explicit CallsReader(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    if (!file_) throw RecordingError(path + ": cannot be read");
  }

  std::vector<Recording> all() {
    ordered_json json;
    if (!next(json) || text(json, "format") != kFormat)
      fail(fmt::format("format: the first line must name {}", kFormat));
    header_ = json;
    std::vector<Recording> calls;
    while (next(json)) calls.push_back(call(json));
    if (calls.empty()) fail("there is no call after the header");
    return calls;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw RecordingError(fmt::format("{}:{}: {}", path_, number_, what));
  }

  bool next(ordered_json& json) {
    std::string line;
    ++number_;
    if (!std::getline(file_, line)) return false;
    json = ordered_json::parse(line, nullptr, false);
    if (!json.is_object()) fail("not a JSON object");
    return true;
  }

  std::string text(const ordered_json& json, const char* key) const {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_string()) fail(fmt::format("{}: a text is needed", key));
    return found->get<std::string>();
  }

  std::uint32_t number(const ordered_json& json, const char* key) const {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() > 0xffffffffu)
      fail(fmt::format("{}: a whole number below 2^32 is needed", key));
    return found->get<std::uint32_t>();
  }

  std::vector<std::byte> bytes(const ordered_json& json, const char* key) const {
    const std::string hex = text(json, key);
    const auto digit = [&](char c) -> unsigned {
      if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
      if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
      fail(fmt::format("{}: hexadecimal digits in small letters are needed", key));
    };
    if (hex.size() % 2 != 0) fail(fmt::format("{}: an even number of digits is needed", key));
    std::vector<std::byte> result(hex.size() / 2);
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<std::byte>(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    return result;
  }

  // Whole bytes or a hash; `size` is what the problem writes.
  void read_output(const ordered_json& json, const char* whole, const char* hashed, std::size_t size,
                   std::vector<std::byte>& data, std::string& hash) const {
    if (json.contains(hashed)) {
      hash = text(json, hashed);
      if (hash.size() != 32) fail(fmt::format("{}: 32 hexadecimal digits are needed", hashed));
      return;
    }
    data = bytes(json, whole);
    if (data.size() != size) fail(fmt::format("{}: {} bytes, the case writes {}", whole, data.size(), size));
  }

  Recording call(const ordered_json& json) const {
    Recording recording;
    recording.path = fmt::format("{}:{}", path_, number_);
    recording.name = text(json, "case");
    recording.kernel = text(header_, "kernel");
    recording.metadata = {{"device", text(header_, "device")}};
    try {
      recording.problem = reference::make_problem(reference::parse_case(recording.name));
    } catch (const reference::CaseError& error) {
      fail(fmt::format("case: {}", error.what()));
    }
    xqacheck_problem& d = recording.problem.description;
    d.sm_count = number(json, "sms"), d.pdl = number(json, "pdl");
    if (const std::string hash = hash_of_inputs(recording.problem); hash != text(json, "inputs"))
      fail(fmt::format("inputs: the case line gives {}, recorded were {}: the generation of data has changed since", hash,
                       text(json, "inputs")));
    d.forced_splits = number(json, "splits");
    read_output(json, "out", "out_xxh128", recording.problem.out_bytes(), recording.out, recording.out_hash);
    if (recording.problem.lse_bytes() != 0)
      read_output(json, "lse", "lse_xxh128", recording.problem.lse_bytes(), recording.lse, recording.lse_hash);
    if (header_.contains("recipe"))
      set_declared_recipe(recording, {text(header_["recipe"], "family"), text(header_["recipe"], "arch"),
                                      text(header_["recipe"], "toolkit"), text(header_["recipe"], "parameters")});
    return recording;
  }

  std::string path_;
  std::ifstream file_;
  std::size_t number_ = 0;  // of the line
  ordered_json header_;
};

}  // namespace

std::string hash_of_bytes(std::span<const std::byte> bytes) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, bytes.data(), bytes.size());
  return digest(state);
}

std::string hash_of_inputs(const reference::Problem& problem) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  const std::string scalars = text_of_scalars(problem.description);
  XXH3_128bits_update(&state, scalars.data(), scalars.size());
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(TensorId::out); ++i) {
    const reference::HostBuffer& tensor = problem.tensors[i];
    const std::uint64_t head[] = {i, tensor.size()};  // moves no byte from one tensor to the next
    XXH3_128bits_update(&state, head, sizeof head);
    if (tensor.size() != 0) XXH3_128bits_update(&state, tensor.data(), tensor.size());
  }
  return digest(state);
}

std::vector<std::byte> with_empty_gaps(const xqacheck_problem& p, std::span<const std::byte> out) {
  std::vector<std::byte> result(out.size());
  const std::size_t size = reference::bytes_of_abi(p.out.dtype);
  for (std::uint32_t row = 0; row < p.total_rows; ++row)
    for (std::uint32_t head = 0; head < p.q_heads; ++head) {
      const std::size_t at = static_cast<std::size_t>(row * p.out_stride_row + head * p.out_stride_head) * size;
      std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(at), p.head_dim_v * size,
                  result.begin() + static_cast<std::ptrdiff_t>(at));
    }
  return result;
}

CallsWriter::CallsWriter(const std::string& path, const std::string& tool)
    : path_(path), tool_(tool), file_(path, std::ios::binary | std::ios::trunc) {
  if (!file_) throw RecordingError(path + ": cannot be written");
}

void CallsWriter::line(const std::string& text) {
  file_ << text << '\n' << std::flush;
  if (!file_) throw RecordingError(path_ + ": cannot be written: is the disk full?");
}

void CallsWriter::add(const reference::Problem& problem, const RecordingSource& source, std::span<const std::byte> out,
                      std::span<const std::byte> lse) {
  if (!has_header_) {
    ordered_json header{{"format", kFormat},
                        {"tool", tool_},
                        {"kernel", source.kernel},
                        {"kernel_version", source.version},
                        {"device", source.device}};
    if (source.recipe != nullptr)
      header["recipe"] = {{"family", source.recipe->family},
                          {"arch", source.recipe->arch},
                          {"toolkit", source.recipe->toolkit},
                          {"parameters", source.recipe->parameters}};
    line(header.dump());
    has_header_ = true;
  }
  ordered_json call{{"case", source.case_line},
                    {"sms", problem.description.sm_count},
                    {"pdl", problem.description.pdl},
                    {"splits", source.splits},
                    {"inputs", hash_of_inputs(problem)}};
  const auto put = [&](const char* whole, const char* hashed, std::span<const std::byte> bytes) {
    if (bytes.size() <= kWholeOutputBytes)
      call[whole] = hex_of(bytes);
    else
      call[hashed] = hash_of_bytes(bytes);
  };
  put("out", "out_xxh128", with_empty_gaps(problem.description, out));
  if (!lse.empty()) put("lse", "lse_xxh128", lse);
  line(call.dump());
}

bool is_calls_file(const std::string& path) {
  return path.ends_with(".calls.jsonl");
}

std::vector<Recording> read_calls(const std::string& path) {
  return CallsReader(path).all();
}

}  // namespace xqacheck::emulation
