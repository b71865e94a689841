// A micro-kernel on whatever device stands behind the launch seam.
#pragma once

#include "emulation/ptx/forms/form.hpp"
#include "kernels/launch/seam.hpp"

namespace xqacheck::properties {

// What the form's kernel wrote (forms::output_bytes). Throws launch::DeviceError.
std::vector<std::byte> run_form(kernels::launch::Device& device, const ptx::forms::Form& form,
                                std::span<const std::uint64_t> inputs);

}  // namespace xqacheck::properties
