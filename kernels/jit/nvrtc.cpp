// NVRTC, loaded at run time. Without the toolkit's headers at build time the functions throw CompilerMissing.
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "kernels/jit/compile.hpp"

#ifdef XQACHECK_HAVE_NVRTC_HEADER
#include <nvrtc.h>
#endif

namespace xqacheck::kernels::jit {

#ifdef XQACHECK_HAVE_NVRTC_HEADER
namespace {

struct Nvrtc {
  decltype(&nvrtcVersion) version;
  decltype(&nvrtcCreateProgram) create;
  decltype(&nvrtcDestroyProgram) destroy;
  decltype(&nvrtcCompileProgram) compile;
  decltype(&nvrtcGetProgramLogSize) log_size;
  decltype(&nvrtcGetProgramLog) log;
  decltype(&nvrtcGetCUBINSize) cubin_size;
  decltype(&nvrtcGetCUBIN) cubin;
  decltype(&nvrtcGetPTXSize) ptx_size;
  decltype(&nvrtcGetPTX) ptx;
  decltype(&nvrtcGetErrorString) error;
};

template <class F>
void resolve(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  if (function == nullptr)
    throw CompilerMissing(fmt::format("NVRTC is too old: it has no {}; install CUDA 12 or later", name));
}

Nvrtc load() {
  // The toolkit that this program was configured with comes first: its version is part of every key and recipe.
  void* library = nullptr;
  for (const char* name : {XQACHECK_NVRTC_LIBRARY, "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"}) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr)
    throw CompilerMissing("NVRTC cannot be loaded: install the CUDA Toolkit or put libnvrtc.so on LD_LIBRARY_PATH");
  Nvrtc nvrtc{};
  resolve(library, "nvrtcVersion", nvrtc.version);
  resolve(library, "nvrtcCreateProgram", nvrtc.create);
  resolve(library, "nvrtcDestroyProgram", nvrtc.destroy);
  resolve(library, "nvrtcCompileProgram", nvrtc.compile);
  resolve(library, "nvrtcGetProgramLogSize", nvrtc.log_size);
  resolve(library, "nvrtcGetProgramLog", nvrtc.log);
  resolve(library, "nvrtcGetCUBINSize", nvrtc.cubin_size);
  resolve(library, "nvrtcGetCUBIN", nvrtc.cubin);
  resolve(library, "nvrtcGetPTXSize", nvrtc.ptx_size);
  resolve(library, "nvrtcGetPTX", nvrtc.ptx);
  resolve(library, "nvrtcGetErrorString", nvrtc.error);
  return nvrtc;
}

const Nvrtc& nvrtc() {
  static const Nvrtc loaded = load();  // throws again on the next call if it failed
  return loaded;
}

std::string describe(const CompileRequest& request) {
  std::string text = fmt::format("{} for {}", request.source.name, request.arch);
  for (const auto& [name, value] : request.macros) text += fmt::format(" -D{}={}", name, value);
  return text;
}

// NVRTC puts the working directory before the names in `.file`, where no such file is.
std::vector<std::byte> with_plain_file_names(const std::vector<std::byte>& image) {
  std::string text(reinterpret_cast<const char*>(image.data()), image.size());
  const std::string quoted = "\"" + std::filesystem::current_path().string() + "/";
  for (std::size_t at = text.find("\t.file\t"); at != std::string::npos; at = text.find("\t.file\t", at + 1)) {
    const std::size_t name = text.find('"', at);
    if (name != std::string::npos && text.compare(name, quoted.size(), quoted) == 0)
      text.erase(name + 1, quoted.size() - 1);
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

class Program {
 public:
  explicit Program(const CompileRequest& request) {
    std::vector<const char*> texts, names;
    for (const auto& header : request.headers)
      texts.push_back(header.text.c_str()), names.push_back(header.name.c_str());
    check(nvrtc().create(&program_, request.source.text.c_str(), request.source.name.c_str(),
                         static_cast<int>(texts.size()), texts.data(), names.data()));
  }
  ~Program() { nvrtc().destroy(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  nvrtcProgram get() const { return program_; }
  void check(nvrtcResult result) const {
    if (result != NVRTC_SUCCESS) throw CompilerMissing(fmt::format("NVRTC: {}", nvrtc().error(result)));
  }

 private:
  nvrtcProgram program_ = nullptr;
};

}  // namespace

std::string compiler_version() {
  int major = 0, minor = 0;
  nvrtc().version(&major, &minor);
  return fmt::format("nvrtc {}.{}", major, minor);
}

CompiledKernel compile(const CompileRequest& request) {
  std::vector<std::string> options = {"--gpu-architecture=" + request.arch, "--std=c++17"};
  // A virtual architecture ends in PTX: there is no ptxas to ask.
  const bool wants_ptx = request.arch.starts_with("compute_");
  if (wants_ptx)
    options.emplace_back("--generate-line-info");
  else
    options.emplace_back("--ptxas-options=-v");
  for (const auto& [name, value] : request.macros) options.push_back(fmt::format("-D{}={}", name, value));
  options.insert(options.end(), request.options.begin(), request.options.end());
  std::vector<const char*> pointers;
  for (const auto& option : options) pointers.push_back(option.c_str());

  Program program(request);
  const nvrtcResult result = nvrtc().compile(program.get(), static_cast<int>(pointers.size()), pointers.data());
  std::size_t size = 0;
  program.check(nvrtc().log_size(program.get(), &size));
  std::string log(size, '\0');
  program.check(nvrtc().log(program.get(), log.data()));
  while (!log.empty() && log.back() == '\0') log.pop_back();
  if (result == NVRTC_ERROR_INVALID_OPTION)
    throw CompilerMissing(fmt::format("{} refuses an option of: {}\n{}", compiler_version(), describe(request), log));
  if (result != NVRTC_SUCCESS)
    throw CompileError(fmt::format("cannot compile {}: {}\n{}", describe(request), nvrtc().error(result), log));

  CompiledKernel kernel;
  kernel.log = std::move(log);
  program.check(wants_ptx ? nvrtc().ptx_size(program.get(), &size) : nvrtc().cubin_size(program.get(), &size));
  kernel.image.resize(size);
  char* const image = reinterpret_cast<char*>(kernel.image.data());
  program.check(wants_ptx ? nvrtc().ptx(program.get(), image) : nvrtc().cubin(program.get(), image));
  if (wants_ptx) kernel.image = with_plain_file_names(kernel.image);
  return kernel;
}

#else

std::string compiler_version() {
  throw CompilerMissing("built without the CUDA Toolkit: there is no NVRTC to compile kernels with");
}
CompiledKernel compile(const CompileRequest&) {
  throw CompilerMissing("built without the CUDA Toolkit: there is no NVRTC to compile kernels with");
}

#endif

}  // namespace xqacheck::kernels::jit
