// A small tensor file with the statistics that K and V of decoder layers are known to have, made without libm from counters:
// what stands in for a captured layer in tests and in doc/fp8-budgets.md.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace xqacheck::tests {

inline constexpr const char* kTensorFile = "fixtures/budgets/tensors/decoder-layer.safetensors";
// Without `file=`: heads, dim and lengths that the file fits.
inline constexpr const char* kTensorCase = "xqa/1 heads=8/4 dim=64 len=64,48,48,32 page=16 kv=e4m3";

std::vector<std::byte> decoder_layer_file();

}  // namespace xqacheck::tests
