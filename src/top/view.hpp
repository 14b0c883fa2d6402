// What the person at the keys chose.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "top/filter.hpp"
#include "top/line.hpp"
#include "top/symbols.hpp"

namespace nvmlkit::top {

enum class Folding : unsigned char {
  automatic,  // as many GPUs are unfolded as there is room for, the chosen one first
  folded,
  unfolded,
};

// What stands in the place of the GPUs.
enum class Page : unsigned char { gpus, help, events, faults };

// What the line at the bottom asks for.
enum class Question : unsigned char { none, filter, load, command };

struct View {
  std::optional<Measure> sort;  // empty: by index
  bool reversed = false;
  std::string filter_text;
  Filter filter;
  Folding folding = Folding::automatic;
  std::map<std::size_t, bool> unfolded;  // by GPU, against `folding`
  std::size_t chosen = 0;                // a GPU
  std::size_t top = 0;                   // the first line of the list that is shown
  bool paused = false;
  Page page = Page::gpus;
  std::size_t page_line = 0;  // the first line of the page, or the chosen one
  Question question = Question::none;
  std::string answer;
  std::string filter_before;  // what Escape returns to
  std::string message;        // of the last command; until the next key
  bool message_is_bad = false;
  double interval = 1;  // seconds
  bool can_steer = false;
  Symbols symbols;
};

// For frames that are as long as the list.
inline constexpr std::size_t kUnlimitedRows = 1U << 30;

struct Size {
  std::size_t rows = 24, columns = 80;
};

}  // namespace nvmlkit::top
