#include "kernels/mmha/source.hpp"

namespace xqacheck::kernels::mmha {

extern const char* const text_of_mmha_cu;
extern const char* const text_of_xqacheck_kernel_h;

Shape shape_of(const xqacheck_problem& p) {
  return {p.head_dim, p.head_dim_v, p.q.dtype, p.k.dtype, p.out.dtype};
}

jit::CompileRequest compile_request(const Shape& shape, const std::string& arch) {
  jit::CompileRequest request;
  request.source = {"mmha.cu", text_of_mmha_cu};
  // NVRTC has no C library headers; the ABI header needs the fixed-width names only.
  request.headers = {{"xqacheck_kernel.h", text_of_xqacheck_kernel_h},
                     {"stddef.h", "typedef decltype(sizeof(0)) size_t;\n"},
                     {"stdint.h",
                      "typedef signed char int8_t; typedef unsigned char uint8_t; typedef short int16_t; typedef "
                      "unsigned short uint16_t;\n"
                      "typedef int int32_t; typedef unsigned uint32_t; typedef long long int64_t; typedef unsigned "
                      "long long uint64_t;\n"}};
  request.macros = {{"MMHA_HEAD_DIM", std::to_string(shape.head_dim)},
                    {"MMHA_HEAD_DIM_V", std::to_string(shape.head_dim_v)},
                    {"MMHA_Q", std::to_string(shape.q)},
                    {"MMHA_KV", std::to_string(shape.kv)},
                    {"MMHA_OUT", std::to_string(shape.out)}};
  request.arch = arch;
  // The recipe is IEEE arithmetic in the written order.
  request.options = {"--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"};
  return request;
}

}  // namespace xqacheck::kernels::mmha
