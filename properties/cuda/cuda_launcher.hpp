// Launches kernels on a GPU for the worker process that it lives in: moves the tensors, surrounds run() as asked,
// brings the output back. The device is opened at the first use, never before the worker has been forked.
#pragma once

#include <memory>

#include "properties/isolation/launch.hpp"

namespace xqacheck::properties::cuda {

std::unique_ptr<isolation::Launcher> make_cuda_launcher();

}  // namespace xqacheck::properties::cuda
