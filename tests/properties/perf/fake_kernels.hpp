// Two kernels that only launch through the seam: what they launch is named after them.
#pragma once

#include "kernels/abi/xqacheck_kernel.h"
#include "tests/properties/perf/fake_device.hpp"

namespace xqacheck::tests {

template <int number>
struct FakeKernel {
  static inline const char* name = number == 0 ? "first" : "second";
  static inline xqacheck_status run_status = XQACHECK_OK;
  static inline std::string refuse, prepare_error;
  static inline int instances = 0;  // prepared and not destroyed
  static inline std::uint64_t scratch_bytes = 100, state_bytes = 8;
  static inline const void* last_scratch = nullptr;

  static const xqacheck_description* describe() {
    static const xqacheck_description d = [] {
      xqacheck_description each{};
      each.name = name, each.version = "7", each.memory = XQACHECK_CUDA;
      return each;
    }();
    return &d;
  }
  static xqacheck_status say(const std::string& text, char* why, std::size_t bytes, xqacheck_status status) {
    if (text.empty()) return XQACHECK_OK;
    std::strncpy(why, text.c_str(), bytes - 1);
    return status;
  }
  static xqacheck_status supports(const xqacheck_problem*, char* why, std::size_t bytes) {
    return say(refuse, why, bytes, XQACHECK_UNSUPPORTED);
  }
  static xqacheck_status prepare(const xqacheck_problem*, xqacheck_instance** instance, char* why, std::size_t bytes) {
    if (const auto status = say(prepare_error, why, bytes, XQACHECK_ERROR); status != XQACHECK_OK) return status;
    ++instances;
    *instance = reinterpret_cast<xqacheck_instance*>(new FakeFunction(name));
    return XQACHECK_OK;
  }
  static xqacheck_status workspace(xqacheck_instance*, const xqacheck_problem*, xqacheck_workspace* sizes) {
    *sizes = {scratch_bytes, state_bytes, 4, 4};
    return XQACHECK_OK;
  }
  static xqacheck_status run(xqacheck_instance* instance, const xqacheck_problem* problem, const xqacheck_launch* where) {
    last_scratch = where->scratch;
    LaunchSpec spec;
    spec.function = reinterpret_cast<FakeFunction*>(instance);
    const auto q = reinterpret_cast<Address>(problem->q.data), k = reinterpret_cast<Address>(problem->k.data);
    spec.arguments = {argument(q), argument(k)};
    active_device()->launch(spec, where->stream);
    return run_status;
  }
  static std::uint32_t split_plan(const xqacheck_problem* p) { return p->forced_splits != 0 ? p->forced_splits : 3; }
  static void destroy(xqacheck_instance* instance) {
    --instances;
    delete reinterpret_cast<FakeFunction*>(instance);
  }

  static const xqacheck_kernel* table() {
    static const xqacheck_kernel kernel = {XQACHECK_ABI_VERSION, sizeof(xqacheck_kernel), describe, supports, prepare,
                                           workspace, run, split_plan, destroy};
    return &kernel;
  }
};

using First = FakeKernel<0>;
using Second = FakeKernel<1>;

}  // namespace xqacheck::tests
