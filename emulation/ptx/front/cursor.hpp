// A walk over tokens with the messages that a person needs when the text does not fit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulation/ptx/front/lexer.hpp"

namespace xqacheck::ptx {

class Cursor {
 public:
  Cursor(std::vector<Token> tokens, std::string file) : tokens_(std::move(tokens)), file_(std::move(file)) {}

  const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool done() const { return peek().kind == TokenKind::end; }

  bool accept(std::string_view symbol);
  bool accept_directive(std::string_view name);
  void expect(std::string_view symbol, const char* where);
  std::string expect_word(const char* what);
  std::uint64_t expect_integer(const char* what);
  // Behind the symbol that closes the one just taken.
  void skip_balanced(std::string_view open, std::string_view close);
  void skip_to_semicolon();

  [[noreturn]] void fail(const std::string& what) const { fail_at(peek().line, what); }
  [[noreturn]] void fail_at(std::uint32_t line, const std::string& what) const;
  // "expected X, found 'y'"
  [[noreturn]] void expected(const std::string& what) const;
  const std::string& file() const { return file_; }

 private:
  std::vector<Token> tokens_;
  std::string file_;
  std::size_t at_ = 0;
};

}  // namespace xqacheck::ptx
