#include "kernels/elf_check.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace xqacheck::kernels {
namespace {

#if defined(__x86_64__)
constexpr int kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#else
#error "add this machine's ELF number"
#endif

std::string machine_name(int machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "aarch64";
    case EM_386:
      return "i386";
    case EM_CUDA:
      return "CUDA device code";
    default:
      return fmt::format("ELF machine {}", machine);
  }
}

std::string header_fault(const std::string& path, const Elf64_Ehdr& header, ssize_t bytes) {
  if (bytes < SELFMAG || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    const auto* text = reinterpret_cast<const char*>(&header);
    const bool archive = bytes >= 8 && std::memcmp(text, "!<arch>\n", 8) == 0;
    return fmt::format("{}: {}, not a shared object (it has no ELF header); build the kernel with -shared -fPIC", path,
                       archive      ? "a static library"
                       : bytes == 0 ? "an empty file"
                                    : "some other file");
  }
  if (bytes < static_cast<ssize_t>(sizeof header))
    return fmt::format("{}: the file ends after {} bytes, inside its ELF header; build or copy it again", path, bytes);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachine)
    return fmt::format("{}: built for {}{}, this program is {}; rebuild the plug-in for this machine", path,
                       machine_name(header.e_machine), header.e_ident[EI_CLASS] == ELFCLASS64 ? "" : " (32 bit)",
                       machine_name(kMachine));
  if (header.e_type != ET_DYN)
    return fmt::format("{}: {}, not a shared object; link it with -shared", path,
                       header.e_type == ET_REL    ? "an object file"
                       : header.e_type == ET_EXEC ? "an executable"
                                                  : "an ELF file of another type");
  return "";
}

}  // namespace

std::string shared_object_fault(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    return fmt::format("{}: {}; give the path of the plug-in's shared object", path, std::strerror(errno));
  if (S_ISDIR(status.st_mode))
    return fmt::format("{}: a directory; give the path of the plug-in's shared object", path);
  if (!S_ISREG(status.st_mode))
    return fmt::format("{}: not a regular file; give the path of the plug-in's shared object", path);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fmt::format("{}: cannot be read ({}); check its permissions", path, std::strerror(errno));
  Elf64_Ehdr header{};
  const ssize_t bytes = pread(fd, &header, sizeof header, 0);
  close(fd);
  if (bytes < 0) return fmt::format("{}: cannot be read ({})", path, std::strerror(errno));
  return header_fault(path, header, bytes);
}

}  // namespace xqacheck::kernels
