// An inexact f32 matrix product of the usual kind, for comparison: row-major c (rows x columns) += a (rows x k) * b (k
// x columns).
#pragma once

namespace xqacheck::bench {

void product_baseline(const float* a, const float* b, float* c, long rows, long columns, long k);
#ifdef XQACHECK_BENCH_X86
void product_avx2(const float* a, const float* b, float* c, long rows, long columns, long k);
void product_avx512(const float* a, const float* b, float* c, long rows, long columns, long k);
#endif

}  // namespace xqacheck::bench
