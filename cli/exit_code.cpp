#include "cli/commands.hpp"

namespace xqacheck::cli {

namespace {
int current = 0;
std::vector<std::string> typed;
}  // namespace

void set_exit_code(int code) {
  current = code;
}
int exit_code() {
  return current;
}

void set_command_line(int argc, char** argv) {
  typed.assign(argv, argv + argc);
}
const std::vector<std::string>& command_line() {
  return typed;
}

}  // namespace xqacheck::cli
