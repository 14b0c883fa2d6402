// Tokens of PTX text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/parse/error.hpp"

namespace nvmlkit::ptx {

enum class TokenKind : std::uint8_t {
  end,
  word,     // add  %r1  $L__BB0_2  _Z3addPf
  dotted,   // .u32 .global .L2::128B, without the dot
  integer,  // 12  0x1F  017  0b11  7U
  real32,   // 0f3F800000
  real64,   // 0d3FF0000000000000  1.5
  string,   // "nounroll", without the quotes
  symbol,   // one character
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  std::uint64_t value = 0;  // of a number; the bits of a real
  int line = 0;

  bool is(char c) const { return kind == TokenKind::symbol && text[0] == c; }
  bool is_word(std::string_view word) const { return kind == TokenKind::word && text == word; }
  bool is_dotted(std::string_view word) const { return kind == TokenKind::dotted && text == word; }
};

// Throws Error for what is no PTX. The text must outlive the tokens.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next();
  // Goes on at a place that it has been at, or that the caller knows the line of.
  void seek(std::size_t at, int line) {
    at_ = at;
    line_ = line;
  }

 private:
  char at(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void skip_blanks();
  Token number();
  Token bits(TokenKind kind, unsigned digits);
  std::string_view from(std::size_t start) const { return text_.substr(start, at_ - start); }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace nvmlkit::ptx
