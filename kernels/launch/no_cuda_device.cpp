// Stands in for cuda_device.cpp in builds without the CUDA Toolkit.
#include "kernels/launch/cuda_device.hpp"

namespace xqacheck::kernels::launch {

std::unique_ptr<Device> open_cuda_device(int, std::string& why) {
  why = "built without the CUDA Toolkit: install it and configure again";
  return nullptr;
}

}  // namespace xqacheck::kernels::launch
