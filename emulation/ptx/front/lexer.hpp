// PTX text to tokens. Comments are dropped; numbers are read to bits; every token knows its line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulation/ptx/front/error.hpp"

namespace xqacheck::ptx {

enum class TokenKind : std::uint8_t {
  word,       // opcode part, name, register (%r1, %tid), label ($L__BB0_2)
  directive,  // .reg, .u32, .L2::cache_hint, … (text without the dot)
  integer,    // value in `bits`
  float32,    // 0fXXXXXXXX: bits of an f32
  float64,    // 0dX…, 1.5: bits of an f64
  string,     // "…" without the quotes
  symbol,     // one of , ; : ( ) [ ] { } < > = | @ ! + - _ * and so on
  end
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  std::uint64_t bits = 0;
  std::uint32_t line = 0;
  bool glued = false;  // no space between this token and the one before

  bool is(std::string_view what) const { return kind == TokenKind::symbol && text == what; }
};

// The views point into `text`, which must outlive the tokens. Throws PtxError for a character or literal that is not
// PTX.
std::vector<Token> tokenise(std::string_view text, const std::string& file);

}  // namespace xqacheck::ptx
