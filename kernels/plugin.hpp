// Loader of kernels under test: a built-in name, `./plugin.so`, or `./plugin.so:name` for a plug-in with several
// kernels.
//
// Loading runs foreign code (static constructors, xqacheck_get_kernel, describe): only worker processes call it.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::kernels {

// The message says what was found, what is needed and the fix.
class LoadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct KernelSpec {
  std::string path;  // empty: built-in
  std::string name;  // empty: the plug-in's only kernel
};

// A text with a '/' or ending in ".so" (before an optional ":name") is a plug-in, anything else a built-in name.
// Throws LoadError for an empty text or an empty part.
KernelSpec parse_kernel_spec(std::string_view text);

// Where a loaded object lies, so that a faulting address can be named as "plugin.so+0x12f4".
struct LoadedModule {
  std::string path;
  std::uint64_t begin = 0, end = 0;  // [begin, end) of its load segments; 0, 0 for built-in kernels
};

struct LoadedKernels {
  std::vector<const xqacheck_kernel*> kernels;  // all of them, in the plug-in's order
  LoadedModule module;
};

// Told before each step that runs foreign code, so that a crash in it can be named.
enum class LoadStep : std::uint8_t { open, get_kernel, describe };
using LoadObserver = std::function<void(LoadStep)>;

// Never unloads: a kernel's threads may still run. Throws LoadError.
LoadedKernels load_plugin(const std::string& path, const LoadObserver& observer = {});

// The kernel that `spec` names. Throws LoadError, listing what there is.
const xqacheck_kernel* choose_kernel(const LoadedKernels& loaded, const KernelSpec& spec);

// Both steps; built-in kernels too.
LoadedKernels load_kernels(const KernelSpec& spec, const LoadObserver& observer = {});

}  // namespace xqacheck::kernels
