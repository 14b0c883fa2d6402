// Which GPUs are listed in which order, and which of their lines are on the screen.
#pragma once

#include <cstddef>
#include <vector>

#include "top/machine.hpp"
#include "top/view.hpp"

namespace nvmlkit::top {

struct Block {
  std::size_t gpu = 0;
  bool unfolded = false;
  std::size_t first = 0;  // its first line in the list
  std::size_t height = 1;
};

struct Layout {
  std::vector<Block> blocks;
  std::size_t lines = 0;       // of the whole list
  std::size_t rows = 0;        // of the screen for the list
  std::size_t curve_rows = 3;  // of each curve

  bool shows(const Block& block, std::size_t top) const {
    return block.first < top + rows && block.first + block.height > top;
  }
};

// The GPUs that pass the filter, in the order of the view.
std::vector<std::size_t> order_of(const Machine& machine, const View& view);

// Chooses a GPU of the list where the chosen one is not in it, and scrolls to it.
Layout lay_out(const Machine& machine, View& view, std::size_t rows);

// Moves the choice by so many GPUs of the list, to its ends at most.
void move_choice(const Machine& machine, View& view, std::ptrdiff_t by);

// Asks the GPUs for what the view shows of them now.
Layout poll_visible(Machine& machine, View& view, std::size_t rows);

}  // namespace nvmlkit::top
