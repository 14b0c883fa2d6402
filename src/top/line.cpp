#include "top/line.hpp"

#include <cwchar>

namespace nvmlkit::top {
namespace {

constexpr bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The length of the UTF-8 character at the start of the text; 0 where there is none.
std::size_t length_of(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!continues(text[i])) return 0;
  return length;
}

wchar_t character_of(std::string_view bytes) {
  if (bytes.size() == 1) return static_cast<unsigned char>(bytes[0]);
  auto out = static_cast<unsigned char>(bytes[0]) & (0x7FU >> bytes.size());
  for (const char c : bytes.substr(1)) out = out << 6 | (static_cast<unsigned char>(c) & 0x3FU);
  return static_cast<wchar_t>(out);
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t out = 0;
  for (const char c : text) out += continues(c) ? 0 : 1;
  return out;
}

std::string_view first_columns(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (continues(text[end])) continue;
    if (columns == 0) break;
    --columns;
  }
  return text.substr(0, end);
}

std::string shown(std::string_view text, bool ascii) {
  std::string out;
  while (!text.empty()) {
    const auto length = length_of(text);
    const auto bytes = text.substr(0, length == 0 ? 1 : length);
    const bool plain = length == 1 && bytes[0] >= ' ' && bytes[0] != 0x7F;
    const bool wide = length > 1 && !ascii && wcwidth(character_of(bytes)) == 1;
    out += plain || wide ? bytes : "?";
    text.remove_prefix(bytes.size());
  }
  return out;
}

Line& Line::add(std::string_view text, Style style) {
  if (text.empty()) return *this;
  if (!spans_.empty() && spans_.back().style == style)
    spans_.back().text += text;
  else
    spans_.push_back({std::string(text), style});
  columns_ += columns_of(text);
  return *this;
}

Line& Line::add_left(std::string_view text, std::size_t width, Style style) {
  const auto cut = first_columns(text, width);
  const auto end = columns_ + width;
  return add(cut, style).pad_to(end, style);
}

Line& Line::add_right(std::string_view text, std::size_t width, Style style) {
  const auto cut = first_columns(text, width);
  return add(std::string(width - columns_of(cut), ' '), style).add(cut, style);
}

Line& Line::pad_to(std::size_t column, Style style) {
  return column > columns_ ? add(std::string(column - columns_, ' '), style) : *this;
}

Line& Line::append(const Line& other) {
  for (const auto& span : other.spans_) add(span.text, span.style);
  return *this;
}

void Line::cut(std::size_t columns) {
  if (columns_ <= columns) return;
  Line out;
  for (const auto& span : spans_) out.add(first_columns(span.text, columns - out.columns_), span.style);
  *this = std::move(out);
}

void Line::restyle(Style style) {
  Line out;
  for (const auto& span : spans_) out.add(span.text, style);
  *this = std::move(out);
}

std::string Line::text() const {
  std::string out;
  for (const auto& span : spans_) out += span.text;
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

}  // namespace nvmlkit::top
