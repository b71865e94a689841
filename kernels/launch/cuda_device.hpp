// The CUDA driver behind the launch seam.
#pragma once

#include <memory>
#include <string>

#include "kernels/launch/seam.hpp"

namespace xqacheck::kernels::launch {

// Opens GPU `ordinal` with its primary context. Null, with the reason in `why`, where the build has no CUDA headers,
// the machine no driver or no such GPU.
std::unique_ptr<Device> open_cuda_device(int ordinal, std::string& why);

}  // namespace xqacheck::kernels::launch
