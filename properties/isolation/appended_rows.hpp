// The places in the KV cache that a kernel with fused RoPE writes to: one row of K and one of V for each query row and
// KV head. Everything else in the cache is an input that must stay as it was.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::properties::isolation {

struct ByteRange {
  std::uint64_t begin = 0, end = 0;
};

struct AppendedRows {
  std::vector<ByteRange> k, v;  // [R][kv_heads], bytes from k.data and v.data
};

// `problem` holds host pointers (lengths, tables and offsets are read). Empty without fused RoPE. Rows whose place lies
// outside the tensor (a table entry out of range) are empty ranges: judging the problem is not this function's task.
AppendedRows appended_rows(const xqacheck_problem& problem);

}  // namespace xqacheck::properties::isolation
