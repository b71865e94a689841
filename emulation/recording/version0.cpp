// Version 0: metadata and tensors as doc/recordings.md describes them; strides in elements, one scale for K and V.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulation/recording/check_problem.hpp"
#include "emulation/recording/recording.hpp"

namespace xqacheck::emulation {

namespace {

using reference::TensorId;

// Copies a tensor of the file into the problem; `elements` is what the metadata promises.
void take(const RecordedFile& file, const std::string& name, std::uint64_t elements, reference::Problem& problem, TensorId id,
          xqacheck_tensor& tensor) {
  const reference::FileTensor& source = file.tensor(name);
  const auto data = file.data(source);
  if (source.elements() != elements) {
    file.fail(fmt::format("tensor {}: {} elements, but the metadata needs {}", name, source.elements(), elements));
  }
  reference::HostBuffer buffer(data.size());
  if (!data.empty()) std::memcpy(buffer.data(), data.data(), data.size());
  tensor.bytes = data.size();
  tensor.dtype = file.abi_dtype(source);
  tensor.align = 256;
  problem.tensor(id) = std::move(buffer);
}

float optional_real(const RecordedFile& file, const std::string& key, float fallback) {
  return file.text_or(key, "none") == "none" ? fallback : file.real(key);
}

std::uint32_t optional_number(const RecordedFile& file, const std::string& key) {
  return file.text_or(key, "none") == "none" ? 0 : file.number(key);
}

}  // namespace

Recording read_version0(const RecordedFile& file) {
  Recording recording;
  recording.path = file.path();
  recording.metadata = file.metadata();
  recording.name = file.text("case");
  recording.kernel = file.text("family");
  reference::Problem& problem = recording.problem;
  xqacheck_problem& d = problem.description;
  d.struct_bytes = sizeof d;

  d.requests = file.number("batch");
  d.q_heads = file.number("q_heads"), d.kv_heads = file.number("kv_heads");
  d.head_dim = d.head_dim_v = file.number("head_dim");
  d.beam_width = 1;
  d.max_seq_len = file.number("max_seq_len");
  d.page_tokens = file.number("page_size");
  if (d.requests == 0 || d.kv_heads == 0 || d.q_heads % d.kv_heads != 0 || d.page_tokens == 0 || d.head_dim == 0) {
    file.fail("metadata batch, q_heads, kv_heads, head_dim, page_size: must be positive, and q_heads a multiple of kv_heads");
  }
  d.table_columns = (d.max_seq_len + d.page_tokens - 1) / d.page_tokens;
  d.table_stride_request = d.table_columns;

  const bool draft = file.text_or("spec_dec", "0") == "1";
  d.ragged = file.text_or("ragged_q", "0") == "1" ? 1 : 0;
  d.max_rows = 1, d.total_rows = d.requests;
  if (d.ragged != 0) {
    take(file, "q_cu_seq_lens", d.requests + 1, problem, TensorId::row_offsets, d.row_offsets);
    const auto* offsets = problem.tensor(TensorId::row_offsets).as<std::uint32_t>();
    for (std::uint32_t b = 0; b < d.requests; ++b) {
      if (offsets[b + 1] < offsets[b]) file.fail("tensor q_cu_seq_lens: must not fall");
      d.max_rows = std::max(d.max_rows, offsets[b + 1] - offsets[b]);
    }
    d.total_rows = offsets[d.requests];
  } else if (draft) {
    const auto& shape = file.tensor("q").shape;
    if (shape.size() != 4) file.fail("tensor q: draft cases have shape [batch, drafts, q_heads, head_dim]");
    d.max_rows = static_cast<std::uint32_t>(shape[1]);
    d.total_rows = d.requests * d.max_rows;
  }
  if (draft) {
    d.mask_words = (d.max_rows + 31) / 32;
    d.mask_kind = file.text_or("mask_kind", "tree") == "causal" ? XQACHECK_MASK_CAUSAL : XQACHECK_MASK_TREE;
    take(file, "mask", std::uint64_t{d.total_rows} * d.mask_words, problem, TensorId::mask, d.mask);
  }

  const std::uint64_t q_elements = std::uint64_t{d.total_rows} * d.q_heads * d.head_dim;
  take(file, "q", q_elements, problem, TensorId::q, d.q);
  take(file, "k_pool", file.tensor("k_pool").elements(), problem, TensorId::k, d.k);
  take(file, "v_pool", file.tensor("v_pool").elements(), problem, TensorId::v, d.v);
  take(file, "page_table", std::uint64_t{d.requests} * d.table_columns, problem, TensorId::page_table, d.page_table);
  take(file, "seq_lens", d.requests, problem, TensorId::seq_lens, d.seq_lens);
  if (file.find("sinks") != nullptr) take(file, "sinks", d.q_heads, problem, TensorId::sinks, d.sinks);
  d.q_stride_head = d.out_stride_head = d.head_dim;
  d.q_stride_row = d.out_stride_row = std::int64_t{d.q_heads} * d.head_dim;
  d.k_stride_page = d.v_stride_page = file.integer("stride_page");
  d.k_stride_token = d.v_stride_token = file.integer("stride_token");
  d.k_stride_head = d.v_stride_head = file.integer("stride_head");
  const std::int64_t last = (d.page_tokens - 1) * d.k_stride_token + (d.kv_heads - 1) * d.k_stride_head + d.head_dim;
  if (d.k_stride_page < last) file.fail("metadata stride_page: a page does not hold its tokens");
  d.pages_in_pool = static_cast<std::uint32_t>(file.tensor("k_pool").elements() / static_cast<std::uint64_t>(d.k_stride_page));
  if (d.k.bytes != d.v.bytes) file.fail("tensors k_pool and v_pool: must have the same size");

  d.q_scale.value = file.real("q_scale");
  d.k_scale.value = d.v_scale.value = file.real("kv_scale");
  d.rcp_out_scale.value = optional_real(file, "rcp_out_scale", 1.0f);
  d.window = optional_number(file, "sliding_window");
  d.lse_base = 2.718281828f;
  d.forced_splits = file.number("splits");
  d.sm_count = file.number("sm_count");

  const reference::FileTensor& out = file.tensor("out");
  if (out.elements() != q_elements) file.fail("tensor out: must have the shape of q");
  const auto out_data = file.data(out);
  d.out.dtype = file.abi_dtype(out);
  d.out.bytes = out_data.size();
  d.out.align = 256;
  recording.out.assign(out_data.begin(), out_data.end());
  if (const reference::FileTensor* semaphores = file.find("semaphores")) {
    std::vector<std::uint32_t> words(semaphores->elements());
    if (file.data(*semaphores).size() != words.size() * sizeof(std::uint32_t)) file.fail("tensor semaphores: must be U32");
    std::memcpy(words.data(), file.data(*semaphores).data(), words.size() * sizeof(std::uint32_t));
    recording.semaphores = std::move(words);
  }

  check_problem(file, problem);

  recording.recipe = recording.kernel == "hmma" ? hmma_recipe() : gmma_recipe();
  if (recording.kernel != "hmma" && recording.kernel != "qgmma" && recording.kernel != "hgmma") {
    file.fail("metadata family: '" + recording.kernel + "' is not hmma, qgmma or hgmma");
  }
  if (draft && file.text_or("swap_ab", "none") == "1") recording.recipe->keys_on_m = KeysOnM::always;
  return recording;
}

}  // namespace xqacheck::emulation
