#include "kernels/plugin.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>

#include "kernels/description.hpp"
#include "kernels/elf_check.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/registry.hpp"

namespace xqacheck::kernels {
namespace {

// A plug-in that never returns NULL would be asked for ever; no real one holds this many kernels.
constexpr std::uint32_t kMostKernels = 256;

bool is_plugin_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(".so") ||
         text.find(".so.") != std::string_view::npos;
}

std::string with_hint(const std::string& path, const std::string& error) {
  if (error.find("undefined symbol") != std::string::npos)
    return fmt::format("{}: {}; link the plug-in with the library that defines it", path, error);
  if (error.find("cannot open shared object file") != std::string::npos)
    return fmt::format("{}: {}; a library that it needs is missing: see `ldd {}`", path, error, path);
  return fmt::format("{}: {}", path, error);
}

LoadedModule module_of(const std::string& path, const void* symbol) {
  struct Search {
    std::uint64_t address;
    LoadedModule module;
  } search{reinterpret_cast<std::uint64_t>(symbol), {path, 0, 0}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& s = *static_cast<Search*>(data);
        std::uint64_t end = info->dlpi_addr;
        for (int i = 0; i < info->dlpi_phnum; ++i)
          if (info->dlpi_phdr[i].p_type == PT_LOAD)
            end =
                std::max<std::uint64_t>(end, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz);
        if (s.address < info->dlpi_addr || s.address >= end) return 0;
        s.module.begin = info->dlpi_addr;
        s.module.end = end;
        return 1;
      },
      &search);
  return search.module;
}

std::string joined_names(const std::vector<const xqacheck_kernel*>& kernels) {
  std::vector<std::string_view> names;
  for (const xqacheck_kernel* kernel : kernels) names.emplace_back(kernel->describe()->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

KernelSpec parse_kernel_spec(std::string_view text) {
  if (text.empty()) throw LoadError("the kernel is not named; give a built-in name or the path of a plug-in");
  const std::size_t colon = text.rfind(':');
  const bool has_name = colon != std::string_view::npos && text.find('/', colon) == std::string_view::npos;
  const std::string_view path = has_name ? text.substr(0, colon) : text;
  if (!is_plugin_path(path)) return {"", std::string(text)};
  KernelSpec spec{std::string(path), has_name ? std::string(text.substr(colon + 1)) : ""};
  if (has_name && spec.name.empty())
    throw LoadError(
        fmt::format("{}: no kernel is named after the colon; write {}:name, or leave the colon out", text, path));
  // dlopen looks for a bare file name in the library path; a user means the file in front of them.
  if (spec.path.find('/') == std::string::npos) spec.path = "./" + spec.path;
  return spec;
}

LoadedKernels load_plugin(const std::string& path, const LoadObserver& observer) {
  const auto enter = [&](LoadStep step) {
    if (observer) observer(step);
  };
  if (std::string fault = shared_object_fault(path); !fault.empty()) throw LoadError(fault);
  enter(LoadStep::open);
  dlerror();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* error = dlerror();
    throw LoadError(with_hint(path, error ? error : "dlopen failed without a reason"));
  }
  void* symbol = dlsym(library, "xqacheck_get_kernel");
  if (symbol == nullptr)
    throw LoadError(
        fmt::format("{}: exports no symbol xqacheck_get_kernel; define it as extern \"C\" XQACHECK_EXPORT", path));

  const auto get_kernel = reinterpret_cast<xqacheck_get_kernel_fn>(symbol);
  LoadedKernels loaded;
  loaded.module = module_of(path, symbol);
  for (std::uint32_t index = 0;; ++index) {
    enter(LoadStep::get_kernel);
    const xqacheck_kernel* kernel = get_kernel(XQACHECK_ABI_VERSION, index);
    if (kernel == nullptr) break;
    if (index == kMostKernels)
      throw LoadError(fmt::format(
          "{}: xqacheck_get_kernel gives more than {} kernels; it must return NULL past the last", path, kMostKernels));
    enter(LoadStep::describe);
    if (std::string fault = kernel_fault(kernel); !fault.empty())
      throw LoadError(fmt::format("{}: kernel {}: {}", path, index, fault));
    const std::string_view name = kernel->describe()->name;
    for (const xqacheck_kernel* other : loaded.kernels)
      if (name == other->describe()->name)
        throw LoadError(
            fmt::format("{}: two kernels are called \"{}\"; names must be unique in a plug-in", path, name));
    loaded.kernels.push_back(kernel);
  }
  if (loaded.kernels.empty())
    throw LoadError(
        fmt::format("{}: offers no kernel for ABI version {}: xqacheck_get_kernel({}, 0) returned NULL; rebuild it "
                    "with this version's xqacheck_kernel.h",
                    path, XQACHECK_ABI_VERSION, XQACHECK_ABI_VERSION));
  return loaded;
}

const xqacheck_kernel* choose_kernel(const LoadedKernels& loaded, const KernelSpec& spec) {
  if (spec.name.empty()) {
    if (loaded.kernels.size() == 1) return loaded.kernels[0];
    throw LoadError(fmt::format("{}: holds {} kernels ({}); choose one as {}:name", spec.path, loaded.kernels.size(),
                                joined_names(loaded.kernels), spec.path));
  }
  for (const xqacheck_kernel* kernel : loaded.kernels)
    if (spec.name == kernel->describe()->name) return kernel;
  if (!spec.path.empty())
    throw LoadError(
        fmt::format("{}: holds no kernel \"{}\"; it has: {}", spec.path, spec.name, joined_names(loaded.kernels)));
  const std::string nearest = nearest_builtin_name(spec.name);
  throw LoadError(fmt::format(
      "there is no built-in kernel \"{}\"{}; built in are: {} (a plug-in is named by its path, with a '/')", spec.name,
      nearest.empty() ? "" : fmt::format(" (nearest: {})", nearest), joined_names(builtin_kernels())));
}

LoadedKernels load_kernels(const KernelSpec& spec, const LoadObserver& observer) {
  if (!spec.path.empty()) return load_plugin(spec.path, observer);
  return {builtin_kernels(), {}};
}

}  // namespace xqacheck::kernels
