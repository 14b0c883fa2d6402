#include "libraries/cusparse/functions/reordering.hpp"

namespace nvmlkit::cusparse::functions {

int color_rows(Running& running, const Entries& entries, double fraction, std::vector<Size>& colors) {
  const auto turned = transposed(entries);
  Size waiting = entries.rows;
  Size color = 0;
  const auto enough = static_cast<double>(entries.rows) * (1 - fraction);
  const auto has_neighbour = [&](const Entries& from, Size row) {
    for (Size k = from.begin(row); k < from.end(row); ++k)
      if (from.column(k) != row && colors[at(from.column(k))] == color) return true;
    return false;
  };
  for (; waiting > 0 && static_cast<double>(waiting) > enough; ++color, running.tick())
    for (Size row = 0; row < entries.rows; ++row)
      if (colors[at(row)] < 0 && !has_neighbour(entries, row) && !has_neighbour(turned, row)) {
        colors[at(row)] = color;
        --waiting;
      }
  for (Size& one : colors)
    if (one < 0) one = color++;
  return static_cast<int>(color);
}

}  // namespace nvmlkit::cusparse::functions
