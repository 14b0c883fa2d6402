// Bars and curves in the characters that a terminal has.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "top/line.hpp"

namespace nvmlkit::top {

enum class Curves : unsigned char { braille, blocks, ascii };

// The characters of a terminal.
struct Symbols {
  bool ascii = false;
  Curves curves = Curves::braille;

  std::string_view degrees() const { return ascii ? "C" : "°C"; }
  std::string_view folded() const { return ascii ? "+" : "▸"; }
  std::string_view unfolded() const { return ascii ? "-" : "▾"; }
  std::string_view cursor() const { return ascii ? ">" : "❯"; }
  std::string_view rule() const { return ascii ? "-" : "─"; }
  std::string_view up() const { return ascii ? "^" : "↑"; }
  std::string_view down() const { return ascii ? "v" : "↓"; }
};

// A share from 0 to 1 as a bar of `width` columns.
void add_bar(Line& line, double share, std::size_t width, Style style, const Symbols& symbols);

// How many values a curve of `width` columns shows.
std::size_t values_across(std::size_t width, const Symbols& symbols);

// The area below a curve: `height` lines of `width` columns, from above. Values from 0 to 1, oldest first,
// values_across() of them; NaN is a gap.
std::vector<std::string> curve(std::span<const double> values, std::size_t width, std::size_t height,
                               const Symbols& symbols);

}  // namespace nvmlkit::top
