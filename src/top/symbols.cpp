#include "top/symbols.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace nvmlkit::top {
namespace {

constexpr std::array<std::string_view, 9> kAcross = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr std::array<std::string_view, 9> kUpwards = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 4> kAsciiUpwards = {" ", ".", ":", "|"};

// The height of a value in steps of `steps` in all: a value above zero shows at least one, a gap none.
std::size_t level(double value, std::size_t steps) {
  if (std::isnan(value) || value <= 0) return 0;
  const auto out = static_cast<std::size_t>(std::lround(std::min(value, 1.0) * static_cast<double>(steps)));
  return std::max<std::size_t>(out, 1);
}

// What of `level` lies in the row `row` from above, at most `steps`.
std::size_t part_of(std::size_t level, std::size_t row, std::size_t height, std::size_t steps) {
  const auto below = (height - 1 - row) * steps;
  return level <= below ? 0 : std::min(level - below, steps);
}

// A cell of 2 x 4 dots, filled from below.
std::string braille(std::size_t left, std::size_t right) {
  constexpr std::array<unsigned, 5> kLeft = {0, 0x40, 0x44, 0x46, 0x47};
  constexpr std::array<unsigned, 5> kRight = {0, 0x80, 0xA0, 0xB0, 0xB8};
  const unsigned dots = kLeft[left] | kRight[right];
  if (dots == 0) return " ";
  const unsigned code = 0x2800 + dots;
  return {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
          static_cast<char>(0x80 | (code & 0x3F))};
}

}  // namespace

void add_bar(Line& line, double share, std::size_t width, Style style, const Symbols& symbols) {
  const auto end = line.columns() + width;
  if (symbols.ascii) {
    line.add(std::string(level(share, width), '|'), style);
    line.add(std::string(end - line.columns(), '.'), Style::dim);
    return;
  }
  const auto eighths = level(share, width * 8);
  std::string bar;
  for (std::size_t i = 0; i < eighths / 8; ++i) bar += kAcross[8];
  bar += kAcross[eighths % 8];
  line.add(bar, style);
  while (line.columns() < end) line.add("·", Style::dim);
}

std::size_t values_across(std::size_t width, const Symbols& symbols) {
  return symbols.curves == Curves::braille ? width * 2 : width;
}

std::vector<std::string> curve(std::span<const double> values, std::size_t width, std::size_t height,
                               const Symbols& symbols) {
  const std::size_t steps = symbols.curves == Curves::braille ? 4 : symbols.curves == Curves::blocks ? 8 : 3;
  std::vector<std::string> out(height);
  for (std::size_t row = 0; row < height; ++row)
    for (std::size_t column = 0; column < width; ++column) {
      const auto part = [&](std::size_t place) {
        return place < values.size() ? part_of(level(values[place], height * steps), row, height, steps) : 0;
      };
      if (symbols.curves == Curves::braille)
        out[row] += braille(part(column * 2), part(column * 2 + 1));
      else
        out[row] += symbols.curves == Curves::blocks ? kUpwards[part(column)] : kAsciiUpwards[part(column)];
    }
  return out;
}

}  // namespace nvmlkit::top
