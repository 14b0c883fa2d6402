// Recurrent networks: their sizes, where their weights lie, and what the forward pass keeps for the backward ones.
#pragma once

#include <algorithm>
#include <limits>

#include "libraries/dnn/layout.hpp"

namespace nvmlkit::dnn {

// With the numbers of cudnnRNNMode_t.
enum class Cell : int { relu = 0, tanh = 1, lstm = 2, gru = 3 };

// A matrix or a vector of the weights.
struct WeightPlace {
  std::int64_t offset = -1, rows = 0, columns = 0;  // offset -1: it is not there
};

struct RecurrentShape {
  Cell cell = Cell::tanh;
  std::int64_t input = 0, hidden = 0, output = 0;  // output: below hidden with a projection
  std::int64_t layers = 1, directions = 1;
  bool has_input_bias = true, has_recurrent_bias = true, skips_input = false;
  // Of the cells of LSTM, where they are read; what is kept and given back is not clipped.
  double clip_low = -std::numeric_limits<double>::infinity(), clip_high = std::numeric_limits<double>::infinity();

  std::int64_t gates() const { return cell == Cell::lstm ? 4 : cell == Cell::gru ? 3 : 1; }
  template <class T>
  T clipped(T number) const {
    return std::clamp(number, static_cast<T>(clip_low), static_cast<T>(clip_high));
  }
  template <class T>
  bool is_clipped(T number) const {
    return number < static_cast<T>(clip_low) || number > static_cast<T>(clip_high);
  }
  bool is_projected() const { return output != hidden; }
  std::int64_t input_of(std::int64_t layer) const { return layer == 0 ? input : directions * output; }
  bool skips(std::int64_t layer) const { return skips_input && layer == 0; }
  // `pseudo`: layer * directions + direction. All matrices lie first, then all biases.
  WeightPlace input_matrix(std::int64_t pseudo) const;
  WeightPlace recurrent_matrix(std::int64_t pseudo) const;
  WeightPlace projection(std::int64_t pseudo) const;
  WeightPlace input_bias(std::int64_t pseudo) const;
  WeightPlace recurrent_bias(std::int64_t pseudo) const;
  std::int64_t weights() const;
  double operations(std::int64_t steps) const;

 private:
  std::int64_t matrices_of(std::int64_t pseudo) const;
  std::int64_t matrices_before(std::int64_t pseudo) const;
};

// Sequences of a batch, of different lengths.
struct Sequences {
  std::int64_t longest = 0, batch = 0;
  std::vector<int> lengths;

  std::int64_t rows() const { return longest * batch; }
  // The row of [time, batch] that a direction comes to in a step; -1: the sequence has ended.
  std::int64_t row(std::int64_t step, std::int64_t b, bool is_reverse) const {
    const std::int64_t length = lengths[static_cast<std::size_t>(b)];
    if (step < 0 || step >= length) return -1;
    return (is_reverse ? length - 1 - step : step) * batch + b;
  }
};

// Numbers of the forward pass: offsets within one block of them.
struct RecurrentMemory {
  RecurrentMemory(const RecurrentShape& shape, std::int64_t rows) : shape_(shape), rows_(rows) {}

  std::int64_t gates(std::int64_t pseudo) const { return pseudo * of_pseudo(); }
  std::int64_t cells(std::int64_t pseudo) const { return gates(pseudo) + rows_ * shape_.gates() * shape_.hidden; }
  // GRU: the recurrent part of the new gate. LSTM with a projection: the output before it.
  std::int64_t raw(std::int64_t pseudo) const { return cells(pseudo) + rows_ * shape_.hidden; }
  // The gradient of the projected output.
  std::int64_t projected(std::int64_t pseudo) const { return raw(pseudo) + rows_ * shape_.hidden; }
  std::int64_t outputs(std::int64_t layer) const {
    return gates(shape_.layers * shape_.directions) + 2 * layer * of_outputs();
  }
  std::int64_t mask(std::int64_t layer) const { return outputs(layer) + of_outputs(); }
  std::int64_t count() const { return outputs(shape_.layers); }

 private:
  std::int64_t of_pseudo() const {
    return rows_ * (shape_.gates() * shape_.hidden + 2 * shape_.hidden + shape_.output);
  }
  std::int64_t of_outputs() const { return rows_ * shape_.directions * shape_.output; }

  RecurrentShape shape_;
  std::int64_t rows_;
};

}  // namespace nvmlkit::dnn
