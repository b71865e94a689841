// Plug-ins that cannot be loaded, one macro a fault.
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "plain_kernel.hpp"

namespace {

const xqacheck_description* describe() {
#if defined(CRASH_IN_DESCRIBE)
  std::abort();
#elif defined(NULL_DESCRIPTION)
  return nullptr;
#else
  static xqacheck_description d = plain::description("plain");
#if defined(UNNAMED)
  d.name = nullptr;
#elif defined(EMPTY_NAME)
  d.name = "";
#elif defined(BAD_NAME)
  d.name = "Flash 2";
#elif defined(BAD_MEMORY)
  d.memory = 9;
#elif defined(RECIPE_WITHOUT_FAMILY)
  static const xqacheck_recipe recipe{nullptr, "sm_90", "", ""};
  d.recipe = &recipe;
#endif
  return &d;
#endif
}

#if defined(CRASH_IN_CONSTRUCTOR)
volatile int* volatile null_pointer = nullptr;
const int crashed = [] { return *null_pointer; }();
#elif defined(EXIT_IN_CONSTRUCTOR)
const int left = [] {
  std::exit(0);
  return 0;
}();
#elif defined(SLEEP_IN_CONSTRUCTOR)
const unsigned slept = sleep(3600);
#elif defined(THROW_IN_CONSTRUCTOR)
const int thrown = [] {
  if (getpid() > 0) throw std::runtime_error("no licence");
  return 0;
}();
#elif defined(UNDEFINED_SYMBOL)
extern "C" int xqacheck_test_symbol_that_nobody_defines();
const int undefined = xqacheck_test_symbol_that_nobody_defines();
#endif

}  // namespace

#if !defined(NO_SYMBOL)
extern "C" const xqacheck_kernel* xqacheck_get_kernel(uint32_t abi_version, uint32_t index) {
  static xqacheck_kernel kernel = plain::table(describe);
#if defined(WRONG_VERSION)
  kernel.abi_version = 77;
#elif defined(OTHER_VERSION_ONLY)
  if (abi_version != 77) return nullptr;
#elif defined(WRONG_SIZE)
  kernel.struct_bytes = 8;
#elif defined(NULL_RUN)
  kernel.run = nullptr;
#elif defined(NULL_DESTROY)
  kernel.destroy = nullptr;
#elif defined(TWO_OF_A_NAME)
  return index < 2 ? &kernel : nullptr;
#elif defined(CRASH_IN_GET_KERNEL)
  std::abort();
#endif
  (void)abi_version;
  return index == 0 ? &kernel : nullptr;
}
#endif
