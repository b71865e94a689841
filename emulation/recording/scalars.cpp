#include "emulation/recording/scalars.hpp"

#include <fmt/format.h>

#include <type_traits>

namespace xqacheck::emulation {

namespace {

using P = xqacheck_problem;

const Scalar kScalars[] = {
    {"requests", &P::requests}, {"q_heads", &P::q_heads}, {"kv_heads", &P::kv_heads}, {"head_dim", &P::head_dim},
    {"head_dim_v", &P::head_dim_v}, {"beam_width", &P::beam_width}, {"max_seq_len", &P::max_seq_len}, {"max_rows", &P::max_rows},
    {"total_rows", &P::total_rows}, {"page_tokens", &P::page_tokens}, {"pages_in_pool", &P::pages_in_pool},
    {"table_columns", &P::table_columns}, {"kv_aliased", &P::kv_aliased}, {"table_stride_request", &P::table_stride_request},
    {"table_stride_beam", &P::table_stride_beam}, {"table_stride_v", &P::table_stride_v}, {"q_stride_row", &P::q_stride_row},
    {"q_stride_head", &P::q_stride_head}, {"k_stride_page", &P::k_stride_page}, {"k_stride_head", &P::k_stride_head},
    {"k_stride_token", &P::k_stride_token}, {"v_stride_page", &P::v_stride_page}, {"v_stride_head", &P::v_stride_head},
    {"v_stride_token", &P::v_stride_token}, {"q_scale", &P::q_scale}, {"k_scale", &P::k_scale}, {"v_scale", &P::v_scale},
    {"rcp_out_scale", &P::rcp_out_scale}, {"window", &P::window}, {"mask_kind", &P::mask_kind}, {"mask_words", &P::mask_words},
    {"ragged", &P::ragged}, {"skip_softmax_factor", &P::skip_softmax_factor}, {"rope_kind", &P::rope_kind},
    {"rotary_dim", &P::rotary_dim}, {"out_stride_row", &P::out_stride_row}, {"out_stride_head", &P::out_stride_head},
    {"lse_base", &P::lse_base}, {"sm_count", &P::sm_count}, {"pdl", &P::pdl}};

}  // namespace

std::span<const Scalar> scalars() {
  return kScalars;
}

std::string text_of(const Scalar& scalar, const P& d) {
  return std::visit(
      [&](auto member) {
        using T = std::remove_cvref_t<decltype(d.*member)>;
        if constexpr (std::is_same_v<T, xqacheck_scale>)
          return fmt::format("{}", (d.*member).value);
        else
          return fmt::format("{}", d.*member);
      },
      scalar.member);
}

std::string text_of_scalars(const P& problem) {
  std::string text;
  for (const Scalar& scalar : kScalars) text += fmt::format("{}={}\n", scalar.key, text_of(scalar, problem));
  return text;
}

}  // namespace xqacheck::emulation
