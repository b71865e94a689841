#include "emulation/ptx/front/variables.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace xqacheck::ptx {
namespace {

struct Initialiser {
  Cursor& cursor;
  Variable& variable;
  std::uint64_t at = 0;  // bytes
  int depth = 0;         // of braces

  void put(std::uint64_t bits) {
    const std::uint32_t bytes = bytes_of(variable.type);
    if (variable.unsized) variable.initial.resize(at + bytes);
    if (at + bytes > variable.initial.size()) cursor.fail(fmt::format("too many initial values for {}", variable.name));
    std::memcpy(variable.initial.data() + at, &bits, bytes);
    at += bytes;
  }

  void value() {
    if (cursor.accept("{")) {
      constexpr int kMostDepth = 64;  // one for each dimension of an array
      if (++depth > kMostDepth) cursor.fail(fmt::format("initial values of {} in more than {} braces", variable.name, kMostDepth));
      do value();
      while (cursor.accept(","));
      cursor.expect("}", "at the end of the initial values");
      --depth;
      return;
    }
    const Token& token = cursor.peek();
    const bool wide = variable.type == Type::f64;
    if (token.kind == TokenKind::word) {
      AddressInit init;
      init.offset = at;
      init.symbol = cursor.expect_word("a name");
      if (init.symbol == "generic" && cursor.accept("(")) {
        init.generic = true;
        init.symbol = cursor.expect_word("a name");
        cursor.expect(")", "after the name");
      }
      if (cursor.accept("+")) init.addend = static_cast<std::int64_t>(cursor.expect_integer("an offset"));
      if (bytes_of(variable.type) != 8) cursor.fail("an address needs a 64-bit variable");
      variable.addresses.push_back(init);
      put(0);
    } else if (token.kind == TokenKind::float32) {
      const auto single = static_cast<std::uint32_t>(cursor.take().bits);
      put(wide ? std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(single))) : single);
    } else if (token.kind == TokenKind::float64) {
      const std::uint64_t bits = cursor.take().bits;
      put(wide ? bits : std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits))));
    } else {
      put(cursor.expect_integer("an initial value"));
    }
  }
};

}  // namespace

std::optional<StateSpace> variable_space(std::string_view directive) {
  if (directive == "global") return StateSpace::global;
  if (directive == "shared") return StateSpace::shared;
  if (directive == "local") return StateSpace::local;
  if (directive == "const") return StateSpace::constant;
  if (directive == "param") return StateSpace::param;
  return std::nullopt;
}

Variable parse_variable(Cursor& cursor, StateSpace space) {
  Variable variable;
  variable.space = space;
  variable.place.line = cursor.peek().line;
  std::uint64_t lanes = 1;  // of .v2, .v4
  bool typed = false;
  while (cursor.peek().kind == TokenKind::directive) {
    const std::string_view word = cursor.take().text;
    if (word == "align") {
      variable.align = static_cast<std::uint32_t>(cursor.expect_integer("an alignment"));
      if (!std::has_single_bit(variable.align))
        cursor.fail(fmt::format("alignment {} is not a power of two", variable.align));
    } else if (word == "attribute") {
      cursor.expect("(", "after .attribute");
      cursor.skip_balanced("(", ")");
    } else if (word == "v2" || word == "v4") {
      lanes = word == "v2" ? 2 : 4;
    } else if (word == "ptr") {  // what a parameter points to: a hint
      if (cursor.peek().kind == TokenKind::directive && variable_space(cursor.peek().text)) cursor.take();
    } else if (const auto type = type_of(word)) {
      variable.type = *type, typed = true;
    } else {
      cursor.fail(fmt::format("unknown directive .{} in a variable declaration", word));
    }
  }
  if (!typed) cursor.expected("a type");
  // `.ptr .align 8` of a parameter speaks of what is pointed to, and a plain scalar needs no more than its own
  // alignment.
  variable.name = cursor.expect_word("the name of a variable");
  variable.count = lanes;
  if (lanes != 1 && variable.align == 0) variable.align = static_cast<std::uint32_t>(lanes) * bytes_of(variable.type);
  while (cursor.accept("[")) {
    if (cursor.accept("]")) {
      variable.unsized = true;
      continue;
    }
    const std::uint64_t elements = cursor.expect_integer("a number of elements");
    if (elements != 0 && variable.count > UINT64_MAX / elements)
      cursor.fail(fmt::format("variable {} is larger than 2 GiB", variable.name));
    variable.count *= elements;
    cursor.expect("]", "after the number of elements");
  }
  // 2 GiB: far beyond any kernel's variables, and small enough to add up without overflow.
  if (variable.count > (std::uint64_t{1} << 31) / std::max(bytes_of(variable.type), 1u))
    cursor.fail(fmt::format("variable {} is larger than 2 GiB", variable.name));
  if (cursor.accept("=")) {
    variable.initial.resize(variable.bytes());
    Initialiser{cursor, variable}.value();
    if (variable.unsized) {
      variable.unsized = false;
      variable.count = variable.initial.size() / bytes_of(variable.type);
    }
  }
  return variable;
}

}  // namespace xqacheck::ptx
