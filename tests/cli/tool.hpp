// Runs the real xqacheck in a folder of its own and hands back what it said.
#pragma once

#include <string>
#include <vector>

namespace xqacheck::tests {

struct ToolResult {
  int exit = -1;  // 128 + signal where it was killed
  std::string out, err;
  std::string both() const { return out + err; }
};

// A fresh folder that is removed at the end; the tool runs in it, so that failures/ and results stay apart.
class Workplace {
 public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  ToolResult run(const std::vector<std::string>& arguments) const;
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  std::vector<std::string> files(const std::string& folder) const;  // sorted names; none if there is no such folder

 private:
  std::string folder_;
};

// Full path of a plug-in of the tests: "example" -> ".../lib/plugins/example.so".
std::string plugin(const std::string& name);

}  // namespace xqacheck::tests
