#include "kernels/launch/seam.hpp"

namespace xqacheck::kernels::launch {
namespace {
Device* g_active = nullptr;
}
Device* active_device() {
  return g_active;
}
void set_active_device(Device* device) {
  g_active = device;
}

}  // namespace xqacheck::kernels::launch
