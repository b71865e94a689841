#include "emulation/arith/vectors.hpp"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "emulation/arith/array.hpp"
#include "emulation/arith/plain/mufu.hpp"
#include "emulation/arith/tile.hpp"

namespace xqacheck::arith {

namespace {

struct Kind {
  std::string_view stem;
  const MatrixInstruction& (*instruction)();  // null: mufu
};

constexpr Kind kKinds[] = {
    {"mma_f16", sm_90::mma_f16},        {"mma_bf16", sm_90::mma_bf16},          {"mma_e4m3", sm_90::mma_e4m3},
    {"wgmma_f16", sm_90::wgmma_f16},    {"wgmma_bf16", sm_90::wgmma_bf16},      {"wgmma_e4m3", sm_90::wgmma_e4m3},
    {"deep_mma_bf16", sm_90::mma_bf16}, {"deep_wgmma_bf16", sm_90::wgmma_bf16}, {"mufu", nullptr},
};

constexpr size_t kOperandBytes = 32;
constexpr size_t kDotRecord = 2 * kOperandBytes + 8;
constexpr size_t kMufuRecord = 12;

const Kind& kind_of(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  std::string known;
  for (const Kind& kind : kKinds) {
    if (kind.stem == stem) return kind;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.stem);
  }
  throw std::runtime_error(fmt::format("{}: the base name '{}' is no kind of vector file; rename it to one of: {}",
                                       path.string(), stem, known));
}

std::vector<unsigned char> read_bytes(const std::filesystem::path& path, size_t record) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream || std::filesystem::is_directory(path)) {
    throw std::runtime_error(fmt::format("{}: cannot be read", path.string()));
  }
  std::vector<unsigned char> bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (bytes.empty()) throw std::runtime_error(fmt::format("{}: is empty", path.string()));
  if (bytes.size() % record != 0) {
    throw std::runtime_error(fmt::format("{}: {} bytes is no multiple of the record size {}; truncated?", path.string(),
                                         bytes.size(), record));
  }
  return bytes;
}

// Files are little-endian whatever the host.
uint32_t read_u32(const unsigned char* p) {
  return static_cast<uint32_t>(p[0]) | static_cast<uint32_t>(p[1]) << 8 | static_cast<uint32_t>(p[2]) << 16 |
         static_cast<uint32_t>(p[3]) << 24;
}

std::vector<uint16_t> read_operand(Format format, const unsigned char* p) {
  std::vector<uint16_t> patterns;
  const auto width = static_cast<size_t>(bytes_of(format));
  for (size_t at = 0; at < kOperandBytes; at += width) {
    patterns.push_back(static_cast<uint16_t>(width == 1 ? p[at] : p[at] | p[at + 1] << 8));
  }
  return patterns;
}

uint32_t fast_dot(const MatrixInstruction& instruction, const DotVector& vector) {
  std::vector<uint8_t> bytes_a(vector.a.begin(), vector.a.end());
  std::vector<uint8_t> bytes_b(vector.b.begin(), vector.b.end());
  const bool narrow = bytes_of(instruction.operands) == 1;
  const size_t k = vector.a.size();
  const auto view = [&](const std::vector<uint16_t>& wide, const std::vector<uint8_t>& bytes) {
    return OperandView{instruction.operands, narrow ? static_cast<const void*>(bytes.data()) : wide.data(), 1, k, k};
  };
  uint32_t result = vector.c;
  multiply_tile(instruction, view(vector.a, bytes_a), view(vector.b, bytes_b), &result, 1);
  return result;
}

uint32_t fast_mufu(uint32_t op, uint32_t x) {
  constexpr void (*kFunctions[])(const uint32_t*, uint32_t*, size_t) = {ex2_array, rcp_array, rsqrt_array, sqrt_array,
                                                                        lg2_array};
  uint32_t result = 0;
  kFunctions[op](&x, &result, 1);
  return result;
}

void note(VectorResult& result, size_t index, uint32_t expected, uint32_t plain_bits, uint32_t fast_bits) {
  ++result.records;
  if (plain_bits == expected && fast_bits == expected) return;
  if (result.mismatches++ == 0) {
    result.first_mismatch = fmt::format("record {}: device {:#010x}, plain {:#010x}, fast {:#010x}", index, expected,
                                        plain_bits, fast_bits);
  }
}

}  // namespace

uint32_t plain_mufu(uint32_t op, uint32_t x) {
  constexpr uint32_t (*kFunctions[])(uint32_t) = {plain::ex2_approx_ftz_f32, plain::rcp_approx_ftz_f32,
                                                  plain::rsqrt_approx_ftz_f32, plain::sqrt_approx_ftz_f32,
                                                  plain::lg2_approx_ftz_f32};
  return kFunctions[op](x);
}

VectorFile read_vectors(const std::filesystem::path& path) {
  const Kind& kind = kind_of(path);
  VectorFile file;
  if (kind.instruction == nullptr) {
    const auto bytes = read_bytes(path, kMufuRecord);
    for (size_t at = 0; at < bytes.size(); at += kMufuRecord) {
      const MufuVector vector{read_u32(&bytes[at]), read_u32(&bytes[at + 4]), read_u32(&bytes[at + 8])};
      if (vector.op >= std::size(kMufuNames)) {
        throw std::runtime_error(
            fmt::format("{}: record {}: op {} is not 0 to 4", path.string(), at / kMufuRecord, vector.op));
      }
      file.mufu.push_back(vector);
    }
    return file;
  }
  file.instruction = &kind.instruction();
  const auto bytes = read_bytes(path, kDotRecord);
  for (size_t at = 0; at < bytes.size(); at += kDotRecord) {
    const unsigned char* p = &bytes[at];
    file.dots.push_back({read_operand(file.instruction->operands, p),
                         read_operand(file.instruction->operands, p + kOperandBytes), read_u32(p + 2 * kOperandBytes),
                         read_u32(p + 2 * kOperandBytes + 4)});
  }
  return file;
}

VectorResult check_vectors(const VectorFile& file, const plain::DotFault& fault) {
  VectorResult result;
  for (const DotVector& vector : file.dots) {
    const uint32_t plain_bits = plain::dot(*file.instruction, vector.a, vector.b, vector.c, fault);
    note(result, result.records, vector.d, plain_bits, fast_dot(*file.instruction, vector));
  }
  for (const MufuVector& vector : file.mufu) {
    note(result, result.records, vector.output, plain_mufu(vector.op, vector.input),
         fast_mufu(vector.op, vector.input));
  }
  return result;
}

}  // namespace xqacheck::arith
