#include "tests/properties/isolation/hand_problem.hpp"

#include <cstring>

namespace xqacheck::tests {
namespace {

using reference::HostBuffer;
using reference::Problem;
using reference::TensorId;

xqacheck_tensor add(Problem& problem, TensorId id, std::uint64_t bytes, std::uint32_t dtype, std::uint32_t align) {
  problem.tensor(id) = HostBuffer(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i)
    problem.tensor(id).data()[i] = static_cast<std::byte>(i * 7 + static_cast<unsigned>(id));
  return {problem.tensor(id).data(), bytes, dtype, XQACHECK_HOST, align, 0};
}

}  // namespace

Problem hand_problem(const HandShape& s) {
  Problem problem;
  xqacheck_problem& p = problem.description;
  p.struct_bytes = sizeof p;
  p.requests = p.total_rows = s.rows;
  p.q_heads = s.q_heads;
  p.kv_heads = s.kv_heads;
  p.head_dim = p.head_dim_v = s.dim;
  p.beam_width = p.max_rows = 1;
  p.max_seq_len = s.tokens;
  p.sm_count = 1;
  p.q_scale.value = p.k_scale.value = p.v_scale.value = p.rcp_out_scale.value = 1;
  p.lse_base = 2.718281828f;

  p.q_stride_head = s.dim;
  p.q_stride_row = p.q_stride_head * s.q_heads;
  p.k_stride_token = p.v_stride_token = std::int64_t{s.dim} * s.kv_heads;
  p.k_stride_head = p.v_stride_head = s.dim;
  p.k_stride_page = p.v_stride_page = p.k_stride_token * s.tokens;
  p.out_stride_head = s.dim + s.out_gap;
  p.out_stride_row = p.out_stride_head * s.q_heads;

  p.q = add(problem, TensorId::q, 2 * static_cast<std::uint64_t>(p.q_stride_row) * s.rows, XQACHECK_BF16, 16);
  p.k = add(problem, TensorId::k, 2 * static_cast<std::uint64_t>(p.k_stride_page) * s.rows, XQACHECK_BF16, 16);
  p.v = add(problem, TensorId::v, 2 * static_cast<std::uint64_t>(p.v_stride_page) * s.rows, XQACHECK_BF16, 16);
  p.seq_lens = add(problem, TensorId::seq_lens, 4 * s.rows, XQACHECK_UINT32, 4);
  for (std::uint32_t i = 0; i < s.rows; ++i) problem.tensor(TensorId::seq_lens).as<std::uint32_t>()[i] = s.tokens;
  if (s.sinks) p.sinks = add(problem, TensorId::sinks, 4 * s.q_heads, XQACHECK_FP32, 4);
  p.out = {nullptr,
           2 * (static_cast<std::uint64_t>(p.out_stride_row) * s.rows - static_cast<std::uint64_t>(s.out_gap)),
           XQACHECK_BF16,
           XQACHECK_HOST,
           16,
           0};
  if (s.lse) p.lse = {nullptr, std::uint64_t{4} * s.rows * s.q_heads, XQACHECK_FP32, XQACHECK_HOST, 4, 0};
  return problem;
}

std::vector<std::byte> expected_copy(const Problem& problem, const std::vector<std::byte>& out) {
  const xqacheck_problem& p = problem.description;
  std::vector<std::byte> expected = out;  // gaps are judged elsewhere
  for (std::uint32_t row = 0; row < p.total_rows; ++row)
    for (std::uint32_t head = 0; head < p.q_heads; ++head)
      std::memcpy(expected.data() + 2 * (row * p.out_stride_row + head * p.out_stride_head),
                  problem.tensor(TensorId::q).data() + 2 * (row * p.q_stride_row + head * p.q_stride_head),
                  2 * p.head_dim);
  return expected;
}

}  // namespace xqacheck::tests
