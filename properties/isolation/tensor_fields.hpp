// The tensor and scale fields of xqacheck_problem with the tensors that they belong to.
#pragma once

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/problem.hpp"

namespace xqacheck::properties::isolation {

struct TensorField {
  xqacheck_tensor xqacheck_problem::*field;
  reference::TensorId id;
};
inline constexpr TensorField kTensorFields[] = {
    {&xqacheck_problem::seq_lens, reference::TensorId::seq_lens},
    {&xqacheck_problem::page_table, reference::TensorId::page_table},
    {&xqacheck_problem::q, reference::TensorId::q},
    {&xqacheck_problem::k, reference::TensorId::k},
    {&xqacheck_problem::v, reference::TensorId::v},
    {&xqacheck_problem::mask, reference::TensorId::mask},
    {&xqacheck_problem::depths, reference::TensorId::depths},
    {&xqacheck_problem::row_offsets, reference::TensorId::row_offsets},
    {&xqacheck_problem::sinks, reference::TensorId::sinks},
    {&xqacheck_problem::beam_index, reference::TensorId::beam_index},
    {&xqacheck_problem::beam_context, reference::TensorId::beam_context},
    {&xqacheck_problem::rope_table, reference::TensorId::rope_table},
    {&xqacheck_problem::k_new, reference::TensorId::k_new},
    {&xqacheck_problem::v_new, reference::TensorId::v_new},
    {&xqacheck_problem::qkv_bias, reference::TensorId::qkv_bias},
};

struct ScaleField {
  xqacheck_scale xqacheck_problem::*field;
  reference::TensorId id;
};
inline constexpr ScaleField kScaleFields[] = {
    {&xqacheck_problem::q_scale, reference::TensorId::q_scale},
    {&xqacheck_problem::k_scale, reference::TensorId::k_scale},
    {&xqacheck_problem::v_scale, reference::TensorId::v_scale},
    {&xqacheck_problem::rcp_out_scale, reference::TensorId::rcp_out_scale},
};

}  // namespace xqacheck::properties::isolation
