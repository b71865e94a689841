#include "reference/file_tensors.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <xxhash.h>

#include "reference/case_error.hpp"
#include "reference/formats.hpp"
#include "reference/safetensors.hpp"
#include "reference/shape.hpp"

namespace xqacheck::reference {
namespace {

[[noreturn]] void fail(const Case& c, const std::string& problem) {
  throw CaseError("file", c.file, problem);
}

// Real value of every element. `stored` is the 8-bit cache format whose values the tensor may hold as they are.
std::vector<float> real_values(const Case& c, const Safetensors& file, const FileTensor& tensor, const Dtype* stored,
                               float scale) {
  std::vector<float> values(tensor.elements());
  const std::byte* data = file.data(tensor);
  const auto decoded = [&](Dtype dtype, float factor) {
    decode_row(dtype, data, values.size(), values.data());
    for (float& value : values) value *= factor;
  };
  const FileDtype dtype = tensor.dtype;
  if (dtype == FileDtype::f32) {
    std::memcpy(values.data(), data, values.size() * sizeof(float));
  } else if (dtype == FileDtype::f16) {
    decoded(Dtype::fp16, 1);
  } else if (dtype == FileDtype::bf16) {
    decoded(Dtype::bf16, 1);
  } else if (stored != nullptr && dtype == FileDtype::f8_e4m3 && *stored == Dtype::e4m3) {
    decoded(Dtype::e4m3, scale);
  } else if (stored != nullptr && dtype == FileDtype::i8 && *stored == Dtype::int8) {
    decoded(Dtype::int8, scale);
  } else {
    fail(c, fmt::format("tensor '{}' has dtype {}; allowed are F32 F16 BF16{}", tensor.name, name_of(dtype),
                        stored == nullptr ? "" : ", and the 8-bit dtype of the cache (kv=)"));
  }
  return values;
}

std::vector<float> load(const Case& c, const Safetensors& file, const char* name, std::vector<std::uint64_t> shape,
                        const Dtype* stored, float scale) {
  const FileTensor* tensor = file.find(name);
  if (tensor == nullptr) fail(c, fmt::format("has no tensor '{}'", name));
  if (tensor->shape != shape) {
    FileTensor wanted;
    wanted.shape = shape;
    fail(c,
         fmt::format("tensor '{}' has shape {}, the case needs {}", name, tensor->shape_text(), wanted.shape_text()));
  }
  return real_values(c, file, *tensor, stored, scale);
}

void copy_row(const std::vector<float>& from, std::uint64_t row, std::uint32_t count, float* out) {
  std::copy_n(from.data() + row * count, count, out);
}

}  // namespace

void FileTensors::q_row(const RowPlace& at, float* out) const {
  // Rows of a request: its drafts, or its beams.
  const std::uint64_t row = first_row[at.request] + (rows_are_beams ? at.beam : at.token);
  copy_row(q, row * q_heads + at.head, dim, out);
}

void FileTensors::k_row(const RowPlace& at, float* out) const {
  const std::uint64_t token = first_token[at.request] + std::uint64_t{at.beam} * lens[at.request] + at.token;
  copy_row(k, token * kv_heads + at.head, dim, out);
}

void FileTensors::v_row(const RowPlace& at, float* out) const {
  const std::uint64_t token = first_token[at.request] + std::uint64_t{at.beam} * lens[at.request] + at.token;
  copy_row(v, token * kv_heads + at.head, dim_v, out);
}

FileTensors load_file_tensors(const Case& c) {
  Safetensors file;
  try {
    file = Safetensors::read(c.file);
  } catch (const SafetensorsError& error) {
    throw CaseError("file", c.file, error.what());
  }
  const std::uint64_t hash = XXH64(file.bytes().data(), file.bytes().size(), 0);
  if (hash != c.file_hash) fail(c, fmt::format("the file's hash is {:016x}, the line says {:016x}", hash, c.file_hash));

  const Shape shape = shape_of(c);
  FileTensors t;
  t.lens = c.lens;
  t.q_heads = c.q_heads, t.kv_heads = c.kv_heads, t.dim = c.dim, t.dim_v = c.dim_v;
  t.rows_are_beams = c.beam > 1;
  std::uint64_t tokens = 0;
  for (std::uint32_t b = 0; b < c.requests(); ++b) {
    t.first_row.push_back(shape.first_row[b]);
    t.first_token.push_back(tokens);
    tokens += std::uint64_t{c.lens[b]} * c.beam;
  }
  const Dtype* stored = is_16bit(c.kv) ? nullptr : &c.kv;
  t.q = load(c, file, "q", {shape.total_rows(), c.q_heads, c.dim}, nullptr, 1);
  t.k = load(c, file, "k", {tokens, c.kv_heads, c.dim}, stored, c.k_scale);
  if (!c.mla()) t.v = load(c, file, "v", {tokens, c.kv_heads, c.dim_v}, stored, c.v_scale);
  return t;
}

}  // namespace xqacheck::reference
