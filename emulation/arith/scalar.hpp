// Every scalar instruction on bit patterns: PTX names with dots as underscores (fma.rn.ftz.f32 -> fma_rn_ftz_f32).
//
// Contracts and rules are in the plain headers (plain/f32.hpp, half.hpp, convert.hpp, mufu.hpp), whose functions these
// are; use this header from outside.
#pragma once

#include <cstdint>

#include "emulation/arith/plain/convert.hpp"
#include "emulation/arith/plain/f32.hpp"
#include "emulation/arith/plain/half.hpp"
#include "emulation/arith/plain/mufu.hpp"

namespace xqacheck::arith {

using plain::add_rn_f32;
using plain::div_rn_f32;
using plain::fma_rn_f32;
using plain::max_f32;
using plain::min_f32;
using plain::mul_rn_f32;
using plain::rcp_rn_f32;
using plain::sqrt_rn_f32;
using plain::sub_rn_f32;

using plain::add_rn_ftz_f32;
using plain::div_rn_ftz_f32;
using plain::fma_rn_ftz_f32;
using plain::max_ftz_f32;
using plain::min_ftz_f32;
using plain::mul_rn_ftz_f32;
using plain::rcp_rn_ftz_f32;
using plain::sqrt_rn_ftz_f32;
using plain::sub_rn_ftz_f32;

using plain::add_rn_f16;
using plain::fma_rn_f16;
using plain::max_f16;
using plain::min_f16;
using plain::mul_rn_f16;
using plain::sub_rn_f16;

using plain::add_rn_bf16;
using plain::fma_rn_bf16;
using plain::max_bf16;
using plain::min_bf16;
using plain::mul_rn_bf16;
using plain::sub_rn_bf16;

using plain::cuda_float_to_e4m3_nosat;
using plain::cvt_bf16_e4m3;
using plain::cvt_f16_e4m3;
using plain::cvt_f32_bf16;
using plain::cvt_f32_e4m3;
using plain::cvt_f32_f16;
using plain::cvt_rn_bf16_f32;
using plain::cvt_rn_bf16_s32;
using plain::cvt_rn_f16_f32;
using plain::cvt_rn_f16_s32;
using plain::cvt_rn_f32_s32;
using plain::cvt_rn_satfinite_e4m3_f16;
using plain::cvt_rn_satfinite_e4m3_f32;
using plain::cvt_rni_sat_s8_f32;
using plain::cvt_rz_bf16_f32;
using plain::cvt_rz_f16_f32;

using plain::div_approx_f32;
using plain::div_approx_ftz_f32;
using plain::ex2_approx_f32;
using plain::ex2_approx_ftz_f32;
using plain::lg2_approx_f32;
using plain::lg2_approx_ftz_f32;
using plain::rcp_approx_f32;
using plain::rcp_approx_ftz_f32;
using plain::rsqrt_approx_f32;
using plain::rsqrt_approx_ftz_f32;
using plain::sqrt_approx_f32;
using plain::sqrt_approx_ftz_f32;

}  // namespace xqacheck::arith
