// A terminal: frames on its screen, keys from it.
#pragma once

#include <chrono>
#include <memory>
#include <variant>

#include "top/keys.hpp"
#include "top/line.hpp"
#include "top/view.hpp"

namespace nvmlkit::top {

// Why there is no terminal to draw on.
enum class NoTerminal : unsigned char {
  not_built,    // nvmlkit was built without ncurses
  no_terminal,  // input or output is a file or a pipe
  unknown,      // ncurses does not know the terminal of TERM
};

class Terminal {
 public:
  virtual ~Terminal() = default;
  virtual Size size() const = 0;
  virtual void show(const Frame& frame) = 0;
  // The next key; Key::none when the time is over.
  virtual Input wait(std::chrono::milliseconds time) = 0;
};

using OpenedTerminal = std::variant<std::unique_ptr<Terminal>, NoTerminal>;

// The terminal of this process, until the value ends. `colours`: false leaves the terminal's own.
OpenedTerminal open_terminal(bool colours);

// Only ASCII can be shown: the locale is not UTF-8, or the terminal is a console without such fonts. Sets the
// character set of the locale for this process.
bool needs_ascii();

}  // namespace nvmlkit::top
