// Stands in the place of terminal_curses.cpp where there is no ncurses.
#include "top/terminal.hpp"

namespace nvmlkit::top {

OpenedTerminal open_terminal(bool) { return NoTerminal::not_built; }

}  // namespace nvmlkit::top
