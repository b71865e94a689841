#include "kernels/jit/prebuilt.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace xqacheck::kernels::jit {

std::string key_of_prebuilt(const CompileRequest& request) {
  return key_of(request, "prebuilt");
}
std::string prebuilt_name(const CompileRequest& request) {
  return key_of_prebuilt(request) + ".ptx";
}

std::shared_ptr<const CompiledKernel> find_prebuilt(const CompileRequest& request) {
  const char* folder = std::getenv("XQACHECK_PREBUILT_PTX");
  if (folder == nullptr || !request.arch.starts_with("compute_")) return nullptr;
  const auto path = std::filesystem::path(folder) / prebuilt_name(request);
  std::ifstream in(path, std::ios::binary);
  if (std::error_code none; !in || !std::filesystem::is_regular_file(path, none)) return nullptr;
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  auto kernel = std::make_shared<CompiledKernel>();
  kernel->image.resize(text.size() + 1);  // drivers want a zero byte behind PTX
  std::memcpy(kernel->image.data(), text.data(), text.size());
  kernel->log = "prebuilt";
  return kernel;
}

void write_prebuilt(const std::filesystem::path& folder, const CompileRequest& request, const CompiledKernel& kernel) {
  std::filesystem::create_directories(folder);
  const auto path = folder / prebuilt_name(request);
  std::ofstream out(path, std::ios::binary);
  const XXH128_hash_t hash = XXH3_128bits(request.source.text.data(), request.source.text.size());
  out << fmt::format("// {} compiled by {} for {}; XXH3-128 of the source {:016x}{:016x}\n//", request.source.name,
                     compiler_version(), request.arch, hash.high64, hash.low64);
  for (const auto& [name, value] : request.macros) out << fmt::format(" -D{}={}", name, value);
  for (const auto& option : request.options) out << ' ' << option;
  out << '\n';
  const char* text = reinterpret_cast<const char*>(kernel.image.data());
  out.write(text, static_cast<std::streamsize>(strnlen(text, kernel.image.size())));
  if (!out.flush()) throw std::runtime_error(path.string() + " cannot be written");
}

}  // namespace xqacheck::kernels::jit
