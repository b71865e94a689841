#include "emulation/ptx/front/lexer.hpp"

#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace xqacheck::ptx {
namespace {

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}
bool continues_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

class Lexer {
 public:
  Lexer(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    // A PTX token is about seven characters long with its space.
    tokens.reserve(text_.size() / 6);
    while (true) {
      const std::size_t before = at_;
      skip_blanks();
      if (at_ >= text_.size()) break;
      begin_ = at_;
      Token token = next();
      token.line = line_;
      token.glued = before == begin_ && begin_ != 0;
      tokens.push_back(token);
    }
    Token end;
    end.line = line_;
    tokens.push_back(end);
    return tokens;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw PtxError(fmt::format("{}:{}: {}", file_, line_, what));
  }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_, ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\0') {  // an image handed to a driver ends in a zero
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == '/' && peek(1) == '*') {
        const std::size_t close = text_.find("*/", at_ + 2);
        if (close == std::string_view::npos) fail("a comment that is opened with /* is not closed");
        for (; at_ < close + 2; ++at_) line_ += text_[at_] == '\n';
      } else {
        return;
      }
    }
  }

  Token make(TokenKind kind, std::uint64_t bits = 0) const {
    return {kind, text_.substr(begin_, at_ - begin_), bits, 0, false};
  }

  Token next() {
    const char c = peek();
    if (starts_word(c)) {
      ++at_;
      while (continues_word(peek())) ++at_;
      return make(TokenKind::word);
    }
    if (c == '.' && starts_word(peek(1))) return directive();
    if (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1))) != 0) return directive();  // .2d of tensor forms
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return number();
    if (c == '"') {
      const std::size_t close = text_.find('"', at_ + 1);
      if (close == std::string_view::npos) fail("a string is not closed");
      at_ = close + 1;
      Token token = make(TokenKind::string);
      token.text = token.text.substr(1, token.text.size() - 2);
      return token;
    }
    if (std::string_view(",;:()[]{}<>=|@!+-*~&^").find(c) == std::string_view::npos)
      fail(fmt::format("the character '{}' (0x{:02x}) is not PTX",
                       std::isprint(static_cast<unsigned char>(c)) ? c : '?', static_cast<unsigned char>(c)));
    ++at_;
    return make(TokenKind::symbol);
  }

  // ".L2::cache_hint": parts joined by "::" are one token.
  Token directive() {
    ++at_;
    while (continues_word(peek()) || (peek() == ':' && peek(1) == ':' && continues_word(peek(2))))
      at_ += peek() == ':' ? 2 : 1;
    Token token = make(TokenKind::directive);
    token.text.remove_prefix(1);
    return token;
  }

  Token number() {
    const char second = peek(1);
    if (peek() == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
      const bool single = second == 'f' || second == 'F';
      at_ += 2;
      const std::uint64_t bits = digits(16, single ? 8 : 16);
      return make(single ? TokenKind::float32 : TokenKind::float64, bits);
    }
    int base = 10;
    if (peek() == '0' && (second == 'x' || second == 'X'))
      base = 16, at_ += 2;
    else if (peek() == '0' && (second == 'b' || second == 'B'))
      base = 2, at_ += 2;
    else if (peek() == '0' && std::isdigit(static_cast<unsigned char>(second)) != 0)
      base = 8, at_ += 1;
    if (base == 10) {
      std::size_t end = at_;
      while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end])) != 0) ++end;
      const char after = end < text_.size() ? text_[end] : '\0';
      const char behind = end + 1 < text_.size() ? text_[end + 1] : '\0';
      if (after == '.' && (std::isdigit(static_cast<unsigned char>(behind)) != 0 || !starts_word(behind))) {
        double value = 0;
        const auto [stop, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (problem != std::errc()) fail("a number cannot be read");
        at_ = static_cast<std::size_t>(stop - text_.data());
        return make(TokenKind::float64, std::bit_cast<std::uint64_t>(value));
      }
    }
    const std::uint64_t bits = digits(base, 0);
    if (peek() == 'U') ++at_;
    return make(TokenKind::integer, bits);
  }

  std::uint64_t digits(int base, std::size_t exactly) {
    std::uint64_t value = 0;
    const auto [stop, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value, base);
    const std::size_t count = static_cast<std::size_t>(stop - text_.data()) - at_;
    if (problem != std::errc() || (exactly != 0 && count != exactly))
      fail(fmt::format("'{}' is not a number of PTX",
                       text_.substr(begin_, at_ - begin_ + std::max<std::size_t>(count, 1))));
    at_ += count;
    return value;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0, begin_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace

std::vector<Token> tokenise(std::string_view text, const std::string& file) {
  return Lexer(text, file).run();
}

}  // namespace xqacheck::ptx
