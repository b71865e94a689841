#include "emulation/ptx/front/cursor.hpp"

#include <fmt/format.h>

namespace xqacheck::ptx {

bool Cursor::accept(std::string_view symbol) {
  if (!peek().is(symbol)) return false;
  take();
  return true;
}

bool Cursor::accept_directive(std::string_view name) {
  if (peek().kind != TokenKind::directive || peek().text != name) return false;
  take();
  return true;
}

void Cursor::expect(std::string_view symbol, const char* where) {
  if (!accept(symbol)) expected(fmt::format("'{}' {}", symbol, where));
}

std::string Cursor::expect_word(const char* what) {
  if (peek().kind != TokenKind::word) expected(what);
  return std::string(take().text);
}

std::uint64_t Cursor::expect_integer(const char* what) {
  const bool negative = accept("-");
  if (peek().kind != TokenKind::integer) expected(what);
  const std::uint64_t value = take().bits;
  return negative ? 0 - value : value;
}

void Cursor::skip_balanced(std::string_view open, std::string_view close) {
  const std::uint32_t line = peek().line;
  for (int depth = 1; depth > 0;) {
    if (done()) fail_at(line, fmt::format("'{}' is not closed", open));
    const Token& token = take();
    if (token.is(open)) ++depth;
    if (token.is(close)) --depth;
  }
}

void Cursor::skip_to_semicolon() {
  while (!done() && !peek().is(";")) take();
  expect(";", "at the end of the directive");
}

void Cursor::fail_at(std::uint32_t line, const std::string& what) const {
  throw PtxError(fmt::format("{}:{}: {}", file_, line, what));
}

void Cursor::expected(const std::string& what) const {
  const Token& token = peek();
  if (token.kind == TokenKind::end) fail(fmt::format("expected {}, found the end of the text", what));
  fail(fmt::format("expected {}, found '{}{}'", what, token.kind == TokenKind::directive ? "." : "", token.text));
}

}  // namespace xqacheck::ptx
