#include "tests/faults/fault_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace xqacheck::tests {
namespace {

[[noreturn]] void complain(const std::string& path, int line, const std::string& what) {
  throw std::runtime_error(path + ":" + std::to_string(line) + ": " + what);
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

void set_key(FaultFile& fault, const std::string& key, const std::string& value, const std::string& path, int line) {
  if (key == "class") {
    fault.fault_class = value;
  } else if (key == "seed") {
    fault.seed = value;
  } else if (key == "fault") {
    fault.fault = value;
  } else if (key == "killed by") {
    fault.killed_by = words(value);
  } else if (key == "timeout") {
    fault.timeout_seconds = std::stod(value);
  } else if (key == "repeats") {
    fault.repeats = value != "no";
  } else {
    complain(path, line, "unknown key '" + key + "'");
  }
}

}  // namespace

bool FaultFile::has_own_twin() const {
  return std::any_of(edits.begin(), edits.end(), [](const Edit& edit) { return edit.right != edit.find; });
}

std::string FaultFile::twin() const {
  return has_own_twin() ? name + ".right" : "right";
}

FaultFile parse_fault(const std::string& path, std::string_view text) {
  FaultFile fault;
  fault.name = std::filesystem::path(path).stem().string();
  std::istringstream in{std::string(text)};
  std::string line;
  std::string* section = nullptr;
  bool right_given = false;
  int number = 0;
  // The last line's end belongs to the file, not to the text: a search may end in the middle of a line.
  const auto close = [&] {
    if (fault.edits.empty()) return;
    Edit& edit = fault.edits.back();
    for (std::string* each : {&edit.find, &edit.right, &edit.wrong})
      if (!each->empty()) each->pop_back();
    if (!right_given) edit.right = edit.find;
  };
  while (std::getline(in, line)) {
    ++number;
    if (line == "--- find") {
      close();
      fault.edits.emplace_back();
      section = &fault.edits.back().find, right_given = false;
    } else if (line == "--- right" || line == "--- wrong") {
      if (fault.edits.empty()) complain(path, number, "'" + line + "' before the first '--- find'");
      section = line == "--- right" ? &fault.edits.back().right : &fault.edits.back().wrong;
      right_given |= line == "--- right";
    } else if (section != nullptr) {
      *section += line + "\n";
    } else if (!line.empty() && line.front() != '#') {
      const std::size_t colon = line.find(": ");
      if (colon == std::string::npos) complain(path, number, "no 'key: value'");
      set_key(fault, line.substr(0, colon), line.substr(colon + 2), path, number);
    }
  }
  close();
  if (fault.fault_class.empty() || fault.fault.empty() || fault.killed_by.empty())
    complain(path, number, "needs the keys class, fault and killed by");
  if (fault.edits.empty()) complain(path, number, "plants nothing: no '--- find'");
  for (const Edit& edit : fault.edits) {
    if (edit.find.empty()) complain(path, number, "an empty '--- find'");
    if (edit.wrong == edit.find && edit.right == edit.find) complain(path, number, "an edit that changes nothing");
  }
  return fault;
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

FaultFile read_fault(const std::string& path) {
  return parse_fault(path, read_text(path));
}

std::vector<FaultFile> read_faults(const std::string& folder) {
  std::vector<FaultFile> faults;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".fault") faults.push_back(read_fault(entry.path().string()));
  std::sort(faults.begin(), faults.end(), [](const FaultFile& a, const FaultFile& b) { return a.name < b.name; });
  return faults;
}

}  // namespace xqacheck::tests
