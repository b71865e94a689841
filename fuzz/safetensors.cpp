// Fuzz target: any bytes are a .safetensors file whose tensors can all be read and that survives rewriting, or a
// SafetensorsError. Nothing else may happen.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "reference/safetensors.hpp"

using namespace xqacheck::reference;

namespace {

Safetensors rewritten(const Safetensors& file) {
  std::vector<TensorToWrite> tensors;
  for (const FileTensor& t : file.tensors())
    tensors.push_back({t.name, t.dtype, t.shape, file.data(t), t.end - t.begin});
  return Safetensors::parse(safetensors_bytes(tensors, file.metadata()), "rewritten");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  Safetensors file;
  try {
    file = Safetensors::parse({bytes, bytes + size}, "fuzz");
  } catch (const SafetensorsError&) {
    return 0;
  }
  const Safetensors again = rewritten(file);
  if (again.metadata() != file.metadata() || again.tensors().size() != file.tensors().size()) std::abort();
  for (const FileTensor& t : file.tensors()) {
    const FileTensor& other = again.get(t.name);
    if (t.elements() * bytes_of(t.dtype) != t.end - t.begin || other.shape != t.shape) std::abort();
    // Touches every byte of the tensor in both.
    if (t.begin != t.end && std::memcmp(file.data(t), again.data(other), t.end - t.begin) != 0) std::abort();
  }
  return 0;
}
