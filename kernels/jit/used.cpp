#include "kernels/jit/used.hpp"

#include <utility>

namespace xqacheck::kernels::jit {
namespace {
// A kernel's whole life cycle runs on one thread (ABI), so no lock is needed.
thread_local std::string g_used;
}  // namespace

void note_used(const std::string& key) {
  g_used += (g_used.empty() ? "" : "+") + key;
}
std::string take_used() {
  return std::exchange(g_used, {});
}

}  // namespace xqacheck::kernels::jit
