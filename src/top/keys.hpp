// Keys, and what they do to the view.
#pragma once

#include <string>
#include <vector>

#include "top/layout.hpp"
#include "top/machine.hpp"
#include "top/steering.hpp"
#include "top/view.hpp"

namespace nvmlkit::top {

enum class Key : unsigned char {
  none,
  character,
  up,
  down,
  page_up,
  page_down,
  home,
  end,
  enter,
  escape,
  backspace,
  resize,
  interrupt,  // Ctrl-C, a signal, the end of the terminal
};

struct Input {
  Key key = Key::none;
  std::string character;  // UTF-8
};

enum class Action : unsigned char { none, redraw, poll, quit };

struct Desk {
  Machine& machine;
  View& view;
  Steering* steering;  // null: the machine cannot be steered
  std::size_t rows;    // of the list
};

Action press(const Input& input, Desk& desk);

struct KeyHelp {
  const char* keys;
  const char* meaning;
  bool steers = false;
};
// All keys, for the help.
const std::vector<KeyHelp>& all_keys();

// The words of a line, separated by spaces.
std::vector<std::string> words_of(const std::string& line);

}  // namespace nvmlkit::top
