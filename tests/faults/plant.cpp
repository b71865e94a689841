// plant_fault <kernel folder> <fault file, or -> <right|wrong> <output.cpp>: all sources of the kernel flash32 in one
// file, in a namespace of their own, with the edits of the fault made. Runs at build time; every text to be replaced
// must be there exactly once, so that a change of the kernel cannot quietly unplant a fault.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/faults/fault_file.hpp"

namespace {

using namespace xqacheck::tests;

// In the order in which they build on each other.
constexpr const char* kSources[] = {"formats.hpp", "geometry.hpp", "plan.hpp",     "attend.hpp",
                                    "inputs.hpp",  "merge.hpp",    "supports.hpp", "attend.cpp",
                                    "inputs.cpp",  "merge.cpp",    "supports.cpp", "flash32.cpp"};

std::string one_text(const std::string& folder) {
  std::string all = "#include <chrono>\n#include <cstring>\n";  // for faults that depend on time or on earlier calls
  for (const char* source : kSources) {
    std::istringstream in(read_text(folder + "/" + source));
    for (std::string line; std::getline(in, line);)
      if (line != "#pragma once" && line.rfind("#include \"kernels/flash32/", 0) != 0) all += line + "\n";
  }
  return all;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

void replace_once(std::string& text, const std::string& from, const std::string& to) {
  if (const std::size_t count = count_of(text, from); count != 1)
    throw std::runtime_error("found " + std::to_string(count) + " times in the kernel, not once:\n" + from);
  text.replace(text.find(from), from.size(), to);
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

void plant(const std::string& folder, const std::string& fault_path, bool wrong, const std::string& output) {
  std::string text = one_text(folder), name = "right";
  if (fault_path != "-") {
    const FaultFile fault = read_fault(fault_path);
    name = wrong ? fault.name : fault.twin();
    for (const Edit& edit : fault.edits) replace_once(text, edit.find, wrong ? edit.wrong : edit.right);
  }
  replace_once(text, "d.name = \"flash32\"", "d.name = \"" + name + "\"");
  std::string identifier = name;
  std::replace(identifier.begin(), identifier.end(), '.', '_');
  replace_all(text, "xqacheck::kernels::flash32", "planted::" + identifier);
  replace_once(text, "extern \"C\" const xqacheck_kernel* xqacheck_flash32_kernel(void)",
               "static const xqacheck_kernel* planted_kernel()");
  text +=
      "\n#include \"tests/faults/planted_kernels.hpp\"\nstatic const bool kAdded = planted::add(planted_kernel());\n";
  std::ofstream out(output, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + output);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: plant_fault <kernel folder> <fault file, or -> <right|wrong> <output.cpp>\n", stderr);
    return 2;
  }
  try {
    plant(argv[1], argv[2], std::string(argv[3]) == "wrong", argv[4]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[2], error.what());
    return 1;
  }
  return 0;
}
