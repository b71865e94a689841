// The assembler of the CUDA toolkit, run on PTX text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace xqacheck::ptx {

// XQACHECK_PTXAS, then ptxas of PATH, CUDA_HOME and /usr/local/cuda; "" where there is none.
std::string find_ptxas();

// The cubin. Throws PtxError with what ptxas said.
std::vector<std::byte> assemble(const std::string& ptxas, const std::string& ptx_file,
                                const std::string& arch = "sm_90a");
std::vector<std::byte> assemble_text(const std::string& ptxas, const std::string& text,
                                     const std::string& arch = "sm_90a");

}  // namespace xqacheck::ptx
