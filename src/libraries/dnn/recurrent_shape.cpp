#include "libraries/dnn/recurrent_shape.hpp"

namespace nvmlkit::dnn {

std::int64_t RecurrentShape::matrices_of(std::int64_t pseudo) const {
  const std::int64_t layer = pseudo / directions;
  const std::int64_t inputs = skips(layer) ? 0 : input_of(layer);
  return gates() * hidden * (inputs + output) + (is_projected() ? output * hidden : 0);
}

std::int64_t RecurrentShape::matrices_before(std::int64_t pseudo) const {
  std::int64_t out = 0;
  for (std::int64_t k = 0; k < pseudo; ++k) out += matrices_of(k);
  return out;
}

WeightPlace RecurrentShape::input_matrix(std::int64_t pseudo) const {
  const std::int64_t layer = pseudo / directions;
  if (skips(layer)) return {};
  return {matrices_before(pseudo), gates() * hidden, input_of(layer)};
}

WeightPlace RecurrentShape::recurrent_matrix(std::int64_t pseudo) const {
  const auto before = input_matrix(pseudo);
  return {matrices_before(pseudo) + before.rows * before.columns, gates() * hidden, output};
}

WeightPlace RecurrentShape::projection(std::int64_t pseudo) const {
  if (!is_projected()) return {};
  const auto before = recurrent_matrix(pseudo);
  return {before.offset + before.rows * before.columns, output, hidden};
}

WeightPlace RecurrentShape::input_bias(std::int64_t pseudo) const {
  if (!has_input_bias) return {};
  const std::int64_t all = matrices_before(layers * directions), size = gates() * hidden;
  return {all + pseudo * size * (has_recurrent_bias ? 2 : 1), size, 1};
}

WeightPlace RecurrentShape::recurrent_bias(std::int64_t pseudo) const {
  if (!has_recurrent_bias) return {};
  const std::int64_t all = matrices_before(layers * directions), size = gates() * hidden;
  return {all + pseudo * size * (has_input_bias ? 2 : 1) + (has_input_bias ? size : 0), size, 1};
}

std::int64_t RecurrentShape::weights() const {
  const std::int64_t biases = (has_input_bias ? 1 : 0) + (has_recurrent_bias ? 1 : 0);
  return matrices_before(layers * directions) + layers * directions * gates() * hidden * biases;
}

double RecurrentShape::operations(std::int64_t steps) const {
  return 2.0 * static_cast<double>(steps) * static_cast<double>(matrices_before(layers * directions));
}

}  // namespace nvmlkit::dnn
