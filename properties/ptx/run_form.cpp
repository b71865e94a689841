#include "properties/ptx/run_form.hpp"

namespace xqacheck::properties {

using namespace kernels::launch;
using namespace ptx::forms;

std::vector<std::byte> run_form(Device& device, const Form& form, std::span<const std::uint64_t> inputs) {
  const std::string text = kernel_text(form);
  // With its final zero: drivers take PTX as a C string.
  const auto module = device.load(std::as_bytes(std::span(text.c_str(), text.size() + 1)));
  const auto function = device.function(*module, "form", 0);
  const auto stream = device.stream();
  constexpr std::size_t kAlign = 256, kScratch = std::size_t{kItems} * kScratchBytes;  // alignment of cudaMalloc
  const auto in = device.allocate(std::max<std::size_t>(inputs.size_bytes(), 16), kAlign, Guard::none);
  const auto out = device.allocate(output_bytes(form), kAlign, Guard::none);
  const auto scratch = device.allocate(kScratch, kAlign, Guard::none);
  device.upload(in->address(), inputs.data(), inputs.size_bytes(), stream.get());
  device.fill(out->address(), 0, output_bytes(form), stream.get());
  device.fill(scratch->address(), 0, kScratch, stream.get());

  const Address in_address = in->address(), out_address = out->address(), scratch_address = scratch->address();
  const std::uint32_t number = kNumber, real = kRealBits;
  LaunchSpec spec;
  spec.function = function.get();
  spec.grid = {kItems / kThreads, 1, 1};
  spec.block = {kThreads, 1, 1};
  spec.arguments = {argument(in_address), argument(out_address), argument(scratch_address), argument(number),
                    argument(real)};
  device.launch(spec, device.native(*stream));
  std::vector<std::byte> bytes(output_bytes(form));
  device.download(bytes.data(), out->address(), bytes.size(), stream.get());
  device.synchronize(*stream);
  return bytes;
}

}  // namespace xqacheck::properties
