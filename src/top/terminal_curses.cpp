// The terminal by ncurses. Its names are macros, so that no other file includes it.
#include <curses.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "top/terminal.hpp"

namespace nvmlkit::top {
namespace {

constexpr int kEscape = 27, kControlC = 3, kDelete = 127;
constexpr int kEscapeDelayMs = 25;

volatile sig_atomic_t ended = 0;

void end_by_signal(int) { ended = 1; }

// While it lives, signals that end the process end the view.
class Signals {
 public:
  Signals() {
    struct sigaction action {};
    action.sa_handler = end_by_signal;
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
  }
  ~Signals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> before_{};
};

// Attributes without colours, and the colour on the terminal's own background; -1: its own foreground.
struct Look {
  chtype attributes;
  short colour;
};
constexpr std::array<Look, kStyles> kLooks = {{
    {A_NORMAL, -1},             // plain
    {A_DIM, -1},                // dim
    {A_BOLD, -1},               // strong
    {A_REVERSE, -1},            // title
    {A_NORMAL, COLOR_GREEN},    // good
    {A_BOLD, COLOR_YELLOW},     // fair
    {A_BOLD, COLOR_RED},        // bad
    {A_NORMAL, COLOR_CYAN},     // memory
    {A_NORMAL, COLOR_MAGENTA},  // power
    {A_NORMAL, COLOR_BLUE},     // links
    {A_REVERSE, -1},            // chosen
}};

Key key_of(int code) {
  switch (code) {
    case KEY_UP:
      return Key::up;
    case KEY_DOWN:
      return Key::down;
    case KEY_PPAGE:
      return Key::page_up;
    case KEY_NPAGE:
      return Key::page_down;
    case KEY_HOME:
      return Key::home;
    case KEY_END:
      return Key::end;
    case KEY_ENTER:
      return Key::enter;
    case KEY_BACKSPACE:
      return Key::backspace;
    case KEY_RESIZE:
      return Key::resize;
    default:
      return Key::none;
  }
}

class CursesTerminal final : public Terminal {
 public:
  CursesTerminal(SCREEN* screen, bool colours) : screen_(screen) {
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    curs_set(0);
    set_escdelay(kEscapeDelayMs);
    timeout(0);
    colours_ = colours && has_colors() && start_color() == OK && use_default_colors() == OK;
    if (!colours_) return;
    for (std::size_t i = 0; i < kStyles; ++i) init_pair(static_cast<short>(i + 1), kLooks[i].colour, -1);
  }
  ~CursesTerminal() override {
    endwin();
    delscreen(screen_);
  }
  CursesTerminal(const CursesTerminal&) = delete;
  CursesTerminal& operator=(const CursesTerminal&) = delete;

  Size size() const override { return {static_cast<std::size_t>(LINES), static_cast<std::size_t>(COLS)}; }

  void show(const Frame& frame) override {
    erase();
    for (std::size_t row = 0; row < frame.size() && row < static_cast<std::size_t>(LINES); ++row) {
      move(static_cast<int>(row), 0);
      for (const auto& span : frame[row].spans()) {
        attrset(attributes_of(span.style));
        addstr(span.text.c_str());
      }
    }
    attrset(A_NORMAL);
    refresh();
  }

  Input wait(std::chrono::milliseconds time) override {
    if (ended != 0) return {Key::interrupt, {}};
    if (auto input = take(); input.key != Key::none) return input;  // ncurses has read it already
    pollfd keyboard{STDIN_FILENO, POLLIN, 0};
    const int ready = poll(&keyboard, 1, static_cast<int>(time.count()));
    if (ended != 0) return {Key::interrupt, {}};
    if (ready > 0 && (keyboard.revents & POLLIN) == 0) return {Key::interrupt, {}};  // the terminal is gone
    return take();
  }

 private:
  chtype attributes_of(Style style) const {
    const auto place = static_cast<std::size_t>(style);
    return kLooks[place].attributes | (colours_ ? static_cast<chtype>(COLOR_PAIR(place + 1)) : 0);
  }

  static Input take() {
    const int code = getch();
    if (code == ERR) return {};
    if (code >= KEY_MIN) return {key_of(code), {}};
    if (code == kEscape) return {Key::escape, {}};
    if (code == kControlC) return {Key::interrupt, {}};
    if (code == '\r' || code == '\n') return {Key::enter, {}};
    if (code == '\b' || code == kDelete) return {Key::backspace, {}};
    if (code < ' ') return {};
    Input out{Key::character, std::string(1, static_cast<char>(code))};
    // The rest of a character of several bytes.
    for (int more = code >= 0xF0 ? 3 : code >= 0xE0 ? 2 : code >= 0xC0 ? 1 : 0; more > 0; --more) {
      const int next = getch();
      if (next == ERR) break;
      out.character += static_cast<char>(next);
    }
    return out;
  }

  Signals signals_;
  SCREEN* screen_;
  bool colours_ = false;
};

}  // namespace

OpenedTerminal open_terminal(bool colours) {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) return NoTerminal::no_terminal;
  SCREEN* screen = newterm(nullptr, stdout, stdin);
  if (screen == nullptr) return NoTerminal::unknown;
  return std::make_unique<CursesTerminal>(screen, colours);
}

}  // namespace nvmlkit::top
