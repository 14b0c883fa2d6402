// A frame: the machine as the view shows it.
#pragma once

#include <cstddef>

#include "top/layout.hpp"
#include "top/line.hpp"
#include "top/steering.hpp"
#include "top/view.hpp"

namespace nvmlkit::top {

// The rows of a screen that are not the list.
inline constexpr std::size_t kHeadRows = 3, kFootRows = 1;

// How many rows the list has on a screen; at least one.
std::size_t list_rows(const Machine& machine, const View& view, Size size);

struct Picture {
  const Machine& machine;
  const View& view;
  const Layout& layout;
  const Steering* steering;
};
// At most size.rows lines; kUnlimitedRows: as many as the list needs, without the line of keys.
Frame draw(const Picture& picture, Size size);

// The first two lines.
Frame head_of(const Picture& picture, std::size_t columns);
// The last line: a question, a message, or the keys.
Line foot_of(const Picture& picture, std::size_t columns);
// What stands in the place of the list.
Frame page_of(const Picture& picture, std::size_t rows, std::size_t columns);

}  // namespace nvmlkit::top
