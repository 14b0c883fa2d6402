// The columns of a GPU's row, as many as the terminal has room for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "top/line.hpp"
#include "top/readings.hpp"
#include "top/symbols.hpp"

namespace nvmlkit::top {

enum class Column : unsigned char {
  index,
  name,
  utilization,
  utilization_bar,
  history,
  memory,
  memory_bar,
  power,
  power_bar,
  temperature,
  clock,
  p_state,
  state,
  bus_id
};

struct Placed {
  Column column;
  std::size_t width;
};

// From left to right; together with a space after each at most `columns` wide.
std::vector<Placed> columns_for(std::size_t columns, bool many_gpus);

Line heading_of(const std::vector<Placed>& columns);

struct RowMarks {
  bool chosen = false, unfolded = false;
};
Line row_of(std::size_t index, const GpuReadings& gpu, const std::vector<Placed>& columns, RowMarks marks,
            std::uint64_t frame, const Symbols& symbols);

}  // namespace nvmlkit::top
