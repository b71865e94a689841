#include "emulation/ptx/front/parser.hpp"

#include <fmt/format.h>

#include "emulation/ptx/front/body.hpp"
#include "emulation/ptx/front/cursor.hpp"
#include "emulation/ptx/front/text_file.hpp"
#include "emulation/ptx/front/variables.hpp"

namespace xqacheck::ptx {
namespace {

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : cursor_(tokenise(text, file), file) { module_.file = file; }

  Module run() {
    while (!cursor_.done()) top();
    if (module_.version.empty()) cursor_.fail_at(1, "there is no .version directive: this is not PTX");
    return std::move(module_);
  }

 private:
  void top() {
    const std::uint32_t line = cursor_.peek().line;
    if (cursor_.peek().kind != TokenKind::directive) cursor_.expected("a directive such as .version or .entry");
    const std::string name(cursor_.take().text);
    if (name == "version") return version();
    if (name == "target") return target();
    if (name == "address_size") {
      const std::uint64_t bits = cursor_.expect_integer("an address size");
      if (bits != 64) cursor_.fail_at(line, fmt::format(".address_size {}: only 64 is supported", bits));
      return;
    }
    if (name == "visible" || name == "weak" || name == "common") return;  // linkage: one module is all there is
    if (name == "extern") {
      external_ = true;
      return;
    }
    if (name == "file") return parse_file_directive(cursor_, module_);
    if (name == "section") return skip_section(cursor_);
    if (name == "pragma" || name == "alias") return cursor_.skip_to_semicolon();
    if (name == "entry" || name == "func") return function(name == "entry");
    if (const auto space = variable_space(name); space && *space != StateSpace::param && *space != StateSpace::local) {
      do {
        module_.variables.push_back(parse_variable(cursor_, *space));
        module_.variables.back().external = external_;
      } while (cursor_.accept(","));
      external_ = false;
      return cursor_.expect(";", "after the variable");
    }
    cursor_.fail_at(line, fmt::format("unknown directive .{}", name));
  }

  void version() {
    const Token& token = cursor_.peek();
    if (token.kind != TokenKind::float64) cursor_.expected("a version such as 8.4");
    module_.version = std::string(cursor_.take().text);
    // 7.8 is what CUDA 11.8 writes, the first with sm_90; 9.x that of CUDA 13.
    const int major = std::atoi(module_.version.c_str());
    if (major < 6 || major > 9)
      cursor_.fail_at(token.line, fmt::format(".version {}: versions 6 to 9 are understood", module_.version));
  }

  void target() {
    module_.target = cursor_.expect_word("a target such as sm_90a");
    while (cursor_.accept(",")) cursor_.expect_word("an option of the target");
  }

  std::vector<Variable> parameters() {
    std::vector<Variable> list;
    if (cursor_.accept(")")) return list;
    do {
      if (!cursor_.accept_directive("param")) cursor_.expected(".param");
      list.push_back(parse_variable(cursor_, StateSpace::param));
    } while (cursor_.accept(","));
    cursor_.expect(")", "after the parameters");
    return list;
  }

  void dimensions(std::uint32_t (&out)[3]) {
    std::size_t i = 0;
    out[0] = out[1] = out[2] = 1;
    do out[i++] = static_cast<std::uint32_t>(cursor_.expect_integer("a dimension"));
    while (cursor_.accept(",") && i < 3);
  }

  void attributes(Function& function) {
    while (cursor_.peek().kind == TokenKind::directive) {
      const std::string name(cursor_.take().text);
      std::uint32_t size[3] = {};
      if (name == "maxntid") {
        dimensions(size);
        function.max_threads = size[0] * size[1] * size[2];
      } else if (name == "reqntid") {
        dimensions(function.required_threads);
      } else if (name == "reqnctapercluster") {
        dimensions(function.cluster);
      } else if (name == "minnctapersm" || name == "maxnctapersm" || name == "maxnreg" || name == "maxclusterrank") {
        cursor_.expect_integer("a number");  // limits for the register allocation of ptxas
      } else if (name == "noreturn" || name == "explicitcluster" || name == "blocksareclusters") {
        continue;
      } else if (name == "attribute") {
        cursor_.expect("(", "after .attribute");
        cursor_.skip_balanced("(", ")");
      } else if (name == "pragma") {
        cursor_.skip_to_semicolon();
      } else {
        cursor_.fail(fmt::format("unknown attribute .{} of function {}", name, function.name));
      }
    }
  }

  void function(bool entry) {
    Function function;
    function.entry = entry;
    function.place.line = cursor_.peek().line;
    if (!entry && cursor_.accept_directive("attribute")) {
      cursor_.expect("(", "after .attribute");
      cursor_.skip_balanced("(", ")");
    }
    if (!entry && cursor_.accept("(")) function.returns = parameters();
    function.name = cursor_.expect_word("the name of a function");
    if (cursor_.accept("(")) function.params = parameters();
    attributes(function);
    external_ = false;
    if (cursor_.accept("{")) {
      function.defined = true;
      parse_body(cursor_, module_, function);
    } else {
      cursor_.expect(";", "or a body after the head of the function");
    }
    module_.functions.push_back(std::move(function));
  }

  Module module_;
  Cursor cursor_;
  bool external_ = false;
};

}  // namespace

Module parse(std::string_view text, const std::string& file) {
  return Parser(text, file).run();
}

Module parse_file(const std::string& path) {
  return parse(read_text_file(path), path);
}

}  // namespace xqacheck::ptx
