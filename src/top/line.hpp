// Text with styles: what a frame is made of. Every character takes one column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlkit::top {

enum class Style : unsigned char { plain, dim, strong, title, good, fair, bad, memory, power, links, chosen };
inline constexpr std::size_t kStyles = static_cast<std::size_t>(Style::chosen) + 1;

struct Span {
  std::string text;  // UTF-8
  Style style = Style::plain;
};

// How many columns the text takes: its characters.
std::size_t columns_of(std::string_view text);
// The text's first columns.
std::string_view first_columns(std::string_view text, std::size_t columns);
// Text of a driver or a program as it can be shown: one column for each character, no control characters. `ascii`:
// nothing but ASCII.
std::string shown(std::string_view text, bool ascii);

class Line {
 public:
  Line& add(std::string_view text, Style style = Style::plain);
  // Exactly `width` columns: cut, or filled with spaces.
  Line& add_left(std::string_view text, std::size_t width, Style style = Style::plain);
  Line& add_right(std::string_view text, std::size_t width, Style style = Style::plain);
  Line& pad_to(std::size_t column, Style style = Style::plain);
  Line& append(const Line& other);
  void cut(std::size_t columns);
  void restyle(Style style);

  std::size_t columns() const { return columns_; }
  const std::vector<Span>& spans() const { return spans_; }
  std::string text() const;  // without spaces at the end

 private:
  std::vector<Span> spans_;
  std::size_t columns_ = 0;
};

// A screen, from above.
using Frame = std::vector<Line>;

}  // namespace nvmlkit::top
