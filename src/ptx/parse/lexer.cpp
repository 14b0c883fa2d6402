#include "ptx/parse/lexer.hpp"

#include <bit>
#include <charconv>

namespace nvmlkit::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool starts_word(char c) { return is_letter(c) || c == '%' || c == '$'; }
bool continues_word(char c) { return is_letter(c) || is_digit(c) || c == '$'; }

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

}  // namespace

void Lexer::skip_blanks() {
  while (true) {
    const char c = at();
    if (c == '\n') {
      ++line_;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v') {
      ++at_;
    } else if (c == '\f') {  // between the modules of one text
      line_ = 1;
      ++at_;
    } else if (c == '/' && at(1) == '/') {
      while (at_ < text_.size() && at() != '\n') ++at_;
    } else if (c == '/' && at(1) == '*') {
      at_ += 2;
      while (at_ < text_.size() && !(at() == '*' && at(1) == '/')) line_ += text_[at_++] == '\n';
      if (at_ >= text_.size()) throw Error{line_, "a comment without end"};
      at_ += 2;
    } else {
      return;
    }
  }
}

// The bits of a real: exactly so many hexadecimal digits after 0f or 0d.
Token Lexer::bits(TokenKind kind, unsigned digits) {
  const auto start = at_;
  at_ += 2;
  std::uint64_t value = 0;
  for (unsigned i = 0; i < digits; ++i, ++at_) {
    const int digit = digit_value(at());
    if (digit > 15) throw Error{line_, "a real number needs " + std::to_string(digits) + " hexadecimal digits"};
    value = value << 4 | static_cast<unsigned>(digit);
  }
  return {kind, from(start), value, line_};
}

Token Lexer::number() {
  const auto start = at_;
  const char second = at(1);
  if (at() == '0' && (second == 'f' || second == 'F')) return bits(TokenKind::real32, 8);
  if (at() == '0' && (second == 'd' || second == 'D')) return bits(TokenKind::real64, 16);
  int base = 10;
  if (at() == '0' && (second == 'x' || second == 'X')) base = 16;
  if (at() == '0' && (second == 'b' || second == 'B')) base = 2;
  if (at() == '0' && is_digit(second)) base = 8;
  if (base == 16 || base == 2) at_ += 2;
  std::uint64_t value = 0;
  while (digit_value(at()) < base)
    value = value * static_cast<unsigned>(base) + static_cast<unsigned>(digit_value(text_[at_++]));
  if (base == 10 && at() == '.' && is_digit(at(1))) {
    double real = 0;
    const auto* const end = text_.data() + text_.size();
    const auto [stop, problem] = std::from_chars(text_.data() + start, end, real);
    if (problem != std::errc()) throw Error{line_, "not a number"};
    at_ = static_cast<std::size_t>(stop - text_.data());
    return {TokenKind::real64, from(start), std::bit_cast<std::uint64_t>(real), line_};
  }
  if (at() == 'U') ++at_;
  return {TokenKind::integer, from(start), value, line_};
}

Token Lexer::next() {
  skip_blanks();
  const auto start = at_;
  const char c = at();
  if (at_ >= text_.size() || c == '\0') return {TokenKind::end, {}, 0, line_};
  if (is_digit(c)) return number();
  if (starts_word(c)) {
    do ++at_;
    while (continues_word(at()));
    return {TokenKind::word, from(start), 0, line_};
  }
  if (c == '.' && (is_letter(at(1)) || is_digit(at(1)))) {
    ++at_;
    while (continues_word(at()) || (at() == ':' && at(1) == ':')) at_ += at() == ':' ? 2 : 1;
    return {TokenKind::dotted, from(start + 1), 0, line_};
  }
  if (c == '"') {
    ++at_;
    while (at_ < text_.size() && at() != '"' && at() != '\n') ++at_;
    if (at() != '"') throw Error{line_, "a string without end"};
    const Token out{TokenKind::string, text_.substr(start + 1, at_ - start - 1), 0, line_};
    ++at_;
    return out;
  }
  if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~')
    throw Error{line_, "a byte that is no PTX"};
  ++at_;
  return {TokenKind::symbol, from(start), 0, line_};
}

}  // namespace nvmlkit::ptx
