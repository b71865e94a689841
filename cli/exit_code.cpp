#include "cli/commands.hpp"

namespace xqacheck::cli {

namespace {
int current = 0;
}

void set_exit_code(int code) {
  current = code;
}
int exit_code() {
  return current;
}

}  // namespace xqacheck::cli
