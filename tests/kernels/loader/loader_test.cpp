// Files and names that are refused before any code of a plug-in runs, and the choice among kernels: the exact
// sentences.
#include <elf.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "kernels/description.hpp"
#include "kernels/plugin.hpp"
#include "kernels/registry.hpp"
#include "tests/catch.hpp"

using namespace xqacheck;
using kernels::LoadError;
namespace fs = std::filesystem;

namespace {

const std::string kPlugins = XQACHECK_TEST_PLUGINS;

// A folder of its own, removed at the end.
class Scratch {
 public:
  Scratch() : path_(fs::temp_directory_path() / ("xqacheck-loader-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Scratch() { fs::remove_all(path_); }
  std::string file(const std::string& name, const std::string& contents) const {
    std::ofstream(path_ / name, std::ios::binary) << contents;
    return path_ / name;
  }
  std::string path() const { return path_; }

 private:
  fs::path path_;
};

std::string refusal(const std::string& text) {
  try {
    const kernels::KernelSpec spec = kernels::parse_kernel_spec(text);
    kernels::choose_kernel(kernels::load_kernels(spec), spec);
  } catch (const LoadError& error) {
    return error.what();
  }
  return "accepted";
}

std::string elf_header(unsigned char bits, std::uint16_t machine, std::uint16_t type) {
  Elf64_Ehdr header{};
  std::copy_n(ELFMAG, SELFMAG, header.e_ident);
  header.e_ident[EI_CLASS] = bits;
  header.e_machine = machine;
  header.e_type = type;
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

}  // namespace

TEST_CASE("a specification is a built-in name, a path, or a path with a name") {
  CHECK(kernels::parse_kernel_spec("flash32").path.empty());
  CHECK(kernels::parse_kernel_spec("flash32").name == "flash32");
  CHECK(kernels::parse_kernel_spec("k.so").path == "./k.so");
  CHECK(kernels::parse_kernel_spec("libk.so.1").path == "./libk.so.1");
  CHECK(kernels::parse_kernel_spec("dir/k").path == "dir/k");
  CHECK(kernels::parse_kernel_spec("./k.so:fast").path == "./k.so");
  CHECK(kernels::parse_kernel_spec("./k.so:fast").name == "fast");
  CHECK(kernels::parse_kernel_spec("/a:b/k.so").path == "/a:b/k.so");  // a colon in a folder's name
  CHECK(refusal("") == "the kernel is not named; give a built-in name or the path of a plug-in");
  CHECK(refusal("./k.so:") == "./k.so:: no kernel is named after the colon; write ./k.so:name, or leave the colon out");
}

TEST_CASE("files that are no plug-ins are refused with what they are") {
  const Scratch scratch;
  const std::string where = scratch.path() + "/";
  CHECK(refusal(where + "none.so") ==
        where + "none.so: No such file or directory; give the path of the plug-in's shared object");
  CHECK(refusal(scratch.path()) == scratch.path() + ": a directory; give the path of the plug-in's shared object");
  CHECK(refusal("/dev/null") == "/dev/null: not a regular file; give the path of the plug-in's shared object");
  CHECK(refusal(scratch.file("empty.so", "")) ==
        where +
            "empty.so: an empty file, not a shared object (it has no ELF header); build the kernel with -shared -fPIC");
  CHECK(
      refusal(scratch.file("text.so", "int main() {}\n")) ==
      where +
          "text.so: some other file, not a shared object (it has no ELF header); build the kernel with -shared -fPIC");
  CHECK(
      refusal(scratch.file("k.a.so", "!<arch>\nrest")) ==
      where +
          "k.a.so: a static library, not a shared object (it has no ELF header); build the kernel with -shared -fPIC");
  CHECK(refusal(scratch.file("cut.so", elf_header(ELFCLASS64, EM_X86_64, ET_DYN).substr(0, 20))) ==
        where + "cut.so: the file ends after 20 bytes, inside its ELF header; build or copy it again");
#if defined(__x86_64__)
  CHECK(refusal(scratch.file("arm.so", elf_header(ELFCLASS64, EM_AARCH64, ET_DYN))) ==
        where + "arm.so: built for aarch64, this program is x86-64; rebuild the plug-in for this machine");
  CHECK(refusal(scratch.file("i386.so", elf_header(ELFCLASS32, EM_386, ET_DYN))) ==
        where + "i386.so: built for i386 (32 bit), this program is x86-64; rebuild the plug-in for this machine");
  CHECK(refusal(scratch.file("cubin.so", elf_header(ELFCLASS64, EM_CUDA, ET_EXEC))) ==
        where + "cubin.so: built for CUDA device code, this program is x86-64; rebuild the plug-in for this machine");
  CHECK(refusal(scratch.file("object.so", elf_header(ELFCLASS64, EM_X86_64, ET_REL))) ==
        where + "object.so: an object file, not a shared object; link it with -shared");
  CHECK(refusal(scratch.file("program.so", elf_header(ELFCLASS64, EM_X86_64, ET_EXEC))) ==
        where + "program.so: an executable, not a shared object; link it with -shared");
  // The header is right and nothing else: the dynamic linker's own words.
  CHECK_THAT(refusal(scratch.file("shell.so", elf_header(ELFCLASS64, EM_X86_64, ET_DYN))),
             Catch::StartsWith(where + "shell.so: "));
#endif
}

TEST_CASE("a plug-in that lacks something is refused by name") {
  const std::string p = kPlugins + "/";
  CHECK_THAT(refusal(p + "undefined_symbol.so"),
             Catch::StartsWith(p + "undefined_symbol.so: ") &&
                 Catch::Contains("undefined symbol: xqacheck_test_symbol_that_nobody_defines; link the plug-in with "
                                 "the library that defines it"));
  CHECK(refusal(p + "no_symbol.so") ==
        p + "no_symbol.so: exports no symbol xqacheck_get_kernel; define it as extern \"C\" XQACHECK_EXPORT");
  CHECK(refusal(p + "wrong_version.so") == p + "wrong_version.so: kernel 0: the kernel table has abi_version 77, this "
                                               "program needs 1; rebuild it with this version's xqacheck_kernel.h");
  CHECK(refusal(p + "other_version_only.so") ==
        p + "other_version_only.so: offers no kernel for ABI version 1: xqacheck_get_kernel(1, 0) returned "
            "NULL; rebuild it with this version's xqacheck_kernel.h");
  CHECK(refusal(p + "wrong_size.so") ==
        p + "wrong_size.so: kernel 0: the kernel table has struct_bytes 8, this program needs 64; set it to "
            "sizeof(xqacheck_kernel) and rebuild with this version's xqacheck_kernel.h");
  CHECK(refusal(p + "null_run.so") ==
        p + "null_run.so: kernel 0: the kernel table leaves `run` NULL; every function must be there");
  CHECK(refusal(p + "null_destroy.so") ==
        p + "null_destroy.so: kernel 0: the kernel table leaves `destroy` NULL; every function must be there");
  CHECK(refusal(p + "two_of_a_name.so") ==
        p + "two_of_a_name.so: two kernels are called \"plain\"; names must be unique in a plug-in");
}

TEST_CASE("a description that is not in order is refused by field") {
  const std::string p = kPlugins + "/";
  CHECK(refusal(p + "null_description.so") ==
        p + "null_description.so: kernel 0: describe() returned NULL; it must return a static xqacheck_description");
  CHECK(refusal(p + "unnamed.so") ==
        p + "unnamed.so: kernel 0: describe() leaves `name` NULL; give the kernel a name of [a-z0-9_.-]");
  CHECK(refusal(p + "empty_name.so") ==
        p + "empty_name.so: kernel 0: describe() gives an empty `name`; give the kernel a name of [a-z0-9_.-]");
  CHECK(refusal(p + "bad_name.so") ==
        p + "bad_name.so: kernel 0: describe() gives the name \"Flash 2\", whose character 1 is not one of "
            "[a-z0-9_.-]; rename the kernel");
  CHECK(refusal(p + "bad_memory.so") ==
        p + "bad_memory.so: kernel 0: describe() gives memory = 9; it must be XQACHECK_HOST (0) or XQACHECK_CUDA (1)");
  CHECK(refusal(p + "recipe_without_family.so") ==
        p + "recipe_without_family.so: kernel 0: describe() gives a recipe without `family`; name the "
            "family or set recipe to NULL");
}

TEST_CASE("a kernel is chosen by name, and what there is gets listed") {
  const std::string good = kPlugins + "/good.so";
  CHECK(refusal(good + ":copy") == "accepted");
  CHECK(refusal(good) == good + ": holds 2 kernels (copy, thorough); choose one as " + good + ":name");
  CHECK(refusal(good + ":fast") == good + ": holds no kernel \"fast\"; it has: copy, thorough");
  CHECK(refusal("flash32") == "accepted");
  CHECK_THAT(refusal("flush32"),
             Catch::StartsWith("there is no built-in kernel \"flush32\" (nearest: flash32); built in are: ") &&
                 Catch::EndsWith("(a plug-in is named by its path, with a '/')"));
  CHECK_THAT(refusal("warp"), Catch::StartsWith("there is no built-in kernel \"warp\"; built in are: "));
}

TEST_CASE("a description is copied deeply") {
  std::string name = "first", version = "1";
  xqacheck_recipe recipe{"family", "sm_90", nullptr, "a=1"};
  xqacheck_description original{};
  original.name = name.c_str();
  original.version = version.c_str();
  original.recipe = &recipe;
  const kernels::OwnedDescription owned(original);
  const kernels::OwnedDescription copy = owned;
  name = "other";
  recipe.arch = "sm_80";
  CHECK(std::string(copy.get().name) == "first");
  CHECK(std::string(copy.get().recipe->arch) == "sm_90");
  CHECK(std::string(copy.get().recipe->toolkit).empty());
  CHECK(copy.get().recipe != owned.get().recipe);
}

TEST_CASE("no built-in kernel may come twice or broken") {
  const xqacheck_kernel* first = kernels::builtin_kernels().at(0);
  const std::size_t before = kernels::builtin_kernels().size();
  CHECK_THROWS_WITH(kernels::add_builtin_kernel(first),
                    "two built-in kernels are called " + std::string(first->describe()->name));
  xqacheck_kernel broken = *first;
  broken.prepare = nullptr;
  CHECK_THROWS_WITH(kernels::add_builtin_kernel(&broken),
                    "built-in kernel: the kernel table leaves `prepare` NULL; every function must be there");
  CHECK(kernels::builtin_kernels().size() == before);
}
