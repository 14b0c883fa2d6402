// Attention of several heads, with projections: sizes, and where the weights lie.
#pragma once

#include <cstdint>

namespace nvmlkit::dnn {

struct AttentionShape {
  enum Side : int { query, key, value, output, sides };

  // A matrix of all heads, as [rows, columns]; or the biases behind it, as [columns]. Nothing where `columns` is 0.
  struct Part {
    std::int64_t offset = 0, rows = 0, columns = 0;
    std::int64_t count() const { return rows * columns; }
  };

  std::int64_t heads = 1;
  std::int64_t width[output] = {1, 1, 1};        // of the vectors
  std::int64_t projected[sides] = {0, 0, 0, 0};  // of those of a head, and of the output; 0: not projected
  bool has_biases = false;
  double scale = 1;

  // Of the vectors of a head: queries and keys have one length.
  std::int64_t of_head(int side) const { return projected[side] > 0 ? projected[side] : width[side]; }
  std::int64_t output_width() const { return projected[output] > 0 ? projected[output] : heads * of_head(value); }

  Part weights(int side) const;
  Part biases(int side) const;
  std::int64_t weight_count() const;
  // Of `queries` vectors with `keys` ones.
  double operations(double queries, double keys) const;
};

}  // namespace nvmlkit::dnn
