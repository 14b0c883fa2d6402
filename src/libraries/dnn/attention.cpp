#include "libraries/dnn/attention.hpp"

#include <algorithm>
#include <cmath>

#include "libraries/dnn/row_major.hpp"

namespace nvmlkit::dnn {
namespace {

template <class T>
std::vector<T> blank(std::int64_t count) {
  return std::vector<T>(static_cast<std::size_t>(count));
}

// Columns of a matrix of `all` columns, from the first one of head h on.
template <class T>
void copy_head(const T* from, std::int64_t rows, std::int64_t all, std::int64_t first, std::int64_t columns, T* to) {
  for (std::int64_t r = 0; r < rows; ++r) std::copy_n(from + r * all + first, columns, to + r * columns);
}
template <class T>
void add_head(const T* from, std::int64_t rows, std::int64_t all, std::int64_t first, std::int64_t columns, T* to) {
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) to[r * all + first + c] += from[r * columns + c];
}

template <class T>
void add_biases(std::vector<T>& rows, const T* bias, std::int64_t columns) {
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] += bias[k % static_cast<std::size_t>(columns)];
}
template <class T>
void add_bias_gradient(const std::vector<T>& rows, std::int64_t columns, T* to) {
  for (std::size_t k = 0; k < rows.size(); ++k) to[k % static_cast<std::size_t>(columns)] += rows[k];
}

// Within a window; 0 outside.
template <class T>
void share_out(T* row, std::int64_t count, Window window) {
  const auto from = std::clamp<std::int64_t>(window.from, 0, count);
  const auto to = std::clamp<std::int64_t>(window.to, from, count);
  std::fill(row, row + from, T{});
  std::fill(row + to, row + count, T{});
  if (from == to) return;
  const T most = *std::max_element(row + from, row + to);
  T sum{};
  for (auto k = from; k < to; ++k) sum += row[k] = std::exp(row[k] - most);
  for (auto k = from; k < to; ++k) row[k] /= sum;
}

}  // namespace

template <class T>
std::int64_t Attention<T>::count(const AttentionInput<T>& input, int side) const {
  return side == AttentionShape::query ? input.queries : input.keys;
}

template <class T>
std::vector<T> Attention<T>::project(const AttentionInput<T>& input, int side) const {
  const auto part = shape_.weights(side), bias = shape_.biases(side);
  const auto rows = count(input, side);
  auto out = blank<T>(rows * part.columns);
  multiply(false, false, rows, part.columns, part.rows, input.rows[side].data(), weights_ + part.offset, T{},
           out.data());
  if (bias.columns > 0) add_biases(out, weights_ + bias.offset, bias.columns);
  return out;
}

template <class T>
std::vector<T> Attention<T>::head(const AttentionInput<T>& input, int side, const std::vector<T>& projected,
                                  std::int64_t h) const {
  const auto width = shape_.projected[side], rows = count(input, side);
  if (width == 0) return input.rows[side];
  auto out = blank<T>(rows * width);
  copy_head(projected.data(), rows, shape_.heads * width, h * width, width, out.data());
  return out;
}

template <class T>
std::vector<T> Attention<T>::shares(const AttentionInput<T>& input, const Window* windows) const {
  const auto queries = project(input, AttentionShape::query), keys = project(input, AttentionShape::key);
  const auto pairs = input.queries * input.keys, width = shape_.of_head(AttentionShape::query);
  auto out = blank<T>(shape_.heads * pairs);
  for (std::int64_t h = 0; h < shape_.heads; ++h) {
    const auto q = head(input, AttentionShape::query, queries, h), k = head(input, AttentionShape::key, keys, h);
    T* const to = out.data() + h * pairs;
    multiply(false, true, input.queries, input.keys, width, q.data(), k.data(), T{}, to);
    for (std::int64_t i = 0; i < pairs; ++i) to[i] *= static_cast<T>(shape_.scale);
    for (std::int64_t i = 0; i < input.queries; ++i) share_out(to + i * input.keys, input.keys, windows[i]);
  }
  return out;
}

template <class T>
std::vector<T> Attention<T>::found(const AttentionInput<T>& input, const std::vector<T>& shares) const {
  const auto values = project(input, AttentionShape::value);
  const auto width = shape_.of_head(AttentionShape::value), all = shape_.heads * width;
  auto out = blank<T>(input.queries * all), one = blank<T>(input.queries * width);
  for (std::int64_t h = 0; h < shape_.heads; ++h) {
    const auto v = head(input, AttentionShape::value, values, h);
    multiply(false, false, input.queries, width, input.keys, shares.data() + h * input.queries * input.keys, v.data(),
             T{}, one.data());
    add_head(one.data(), input.queries, all, h * width, width, out.data());
  }
  return out;
}

template <class T>
std::vector<T> Attention<T>::forward(const AttentionInput<T>& input, const std::vector<T>& shares) const {
  auto of_heads = found(input, shares);
  const auto part = shape_.weights(AttentionShape::output), bias = shape_.biases(AttentionShape::output);
  if (part.columns == 0) return of_heads;
  auto out = blank<T>(input.queries * part.columns);
  multiply(false, false, input.queries, part.columns, part.rows, of_heads.data(), weights_ + part.offset, T{},
           out.data());
  if (bias.columns > 0) add_biases(out, weights_ + bias.offset, bias.columns);
  return out;
}

template <class T>
void Attention<T>::back_to_output(const AttentionInput<T>& input, const std::vector<T>& found,
                                  const std::vector<T>& gradient, T* weights, std::vector<T>& to_found) const {
  const auto part = shape_.weights(AttentionShape::output), bias = shape_.biases(AttentionShape::output);
  if (part.columns == 0) {
    to_found = gradient;
    return;
  }
  to_found = blank<T>(input.queries * part.rows);
  multiply(false, true, input.queries, part.rows, part.columns, gradient.data(), weights_ + part.offset, T{},
           to_found.data());
  if (!weights) return;
  multiply(true, false, part.rows, part.columns, input.queries, found.data(), gradient.data(), T{1},
           weights + part.offset);
  if (bias.columns > 0) add_bias_gradient(gradient, bias.columns, weights + bias.offset);
}

// To the vectors of one head, or to those that all heads share.
template <class T>
void Attention<T>::back_to_head(int side, std::int64_t h, const std::vector<T>& gradient, std::vector<T>& to) const {
  const auto width = shape_.of_head(side), rows = static_cast<std::int64_t>(gradient.size()) / width;
  const bool is_shared = shape_.projected[side] == 0;
  add_head(gradient.data(), rows, is_shared ? width : shape_.heads * width, is_shared ? 0 : h * width, width,
           to.data());
}

template <class T>
void Attention<T>::back_to_input(const AttentionInput<T>& input, int side, const std::vector<T>& gradient,
                                 const AttentionGradients<T>& to) const {
  const auto part = shape_.weights(side), bias = shape_.biases(side);
  const auto rows = count(input, side);
  if (part.columns == 0) {
    for (std::size_t k = 0; to.rows[side] && k < gradient.size(); ++k) to.rows[side][k] += gradient[k];
    return;
  }
  if (to.rows[side])
    multiply(false, true, rows, part.rows, part.columns, gradient.data(), weights_ + part.offset, T{1}, to.rows[side]);
  if (!to.weights) return;
  multiply(true, false, part.rows, part.columns, rows, input.rows[side].data(), gradient.data(), T{1},
           to.weights + part.offset);
  if (bias.columns > 0) add_bias_gradient(gradient, bias.columns, to.weights + bias.offset);
}

template <class T>
void Attention<T>::back(const AttentionInput<T>& input, const std::vector<T>& shares, const std::vector<T>& factors,
                        const std::vector<T>& gradient, const AttentionGradients<T>& to) const {
  auto weighted = shares;
  for (std::size_t k = 0; k < factors.size(); ++k) weighted[k] *= factors[k];
  std::vector<T> to_found, projected[AttentionShape::output], to_side[AttentionShape::output];
  back_to_output(input, found(input, weighted), gradient, to.weights, to_found);
  for (int side = 0; side < AttentionShape::output; ++side) {
    projected[side] = project(input, side);
    const auto width = shape_.projected[side] == 0 ? shape_.width[side] : shape_.heads * shape_.projected[side];
    to_side[side] = blank<T>(count(input, side) * width);
  }
  const auto queries = input.queries, keys = input.keys, pairs = queries * keys;
  const auto width = shape_.of_head(AttentionShape::query), carried = shape_.of_head(AttentionShape::value);
  auto of_head = blank<T>(queries * carried), scores = blank<T>(pairs);
  auto to_query = blank<T>(queries * width), to_key = blank<T>(keys * width), to_value = blank<T>(keys * carried);
  for (std::int64_t h = 0; h < shape_.heads; ++h) {
    copy_head(to_found.data(), queries, shape_.heads * carried, h * carried, carried, of_head.data());
    const auto q = head(input, AttentionShape::query, projected[AttentionShape::query], h);
    const auto k = head(input, AttentionShape::key, projected[AttentionShape::key], h);
    const auto v = head(input, AttentionShape::value, projected[AttentionShape::value], h);
    multiply(true, false, keys, carried, queries, weighted.data() + h * pairs, of_head.data(), T{}, to_value.data());
    multiply(false, true, queries, keys, carried, of_head.data(), v.data(), T{}, scores.data());
    const T* const share = shares.data() + h * pairs;
    for (std::int64_t i = 0; i < queries; ++i) {
      T sum{};
      for (auto at = i * keys; at < (i + 1) * keys; ++at) {
        if (!factors.empty()) scores[at] *= factors[h * pairs + at];
        sum += scores[at] * share[at];
      }
      for (auto at = i * keys; at < (i + 1) * keys; ++at)
        scores[at] = share[at] * (scores[at] - sum) * static_cast<T>(shape_.scale);
    }
    multiply(false, false, queries, width, keys, scores.data(), k.data(), T{}, to_query.data());
    multiply(true, false, keys, width, queries, scores.data(), q.data(), T{}, to_key.data());
    back_to_head(AttentionShape::query, h, to_query, to_side[AttentionShape::query]);
    back_to_head(AttentionShape::key, h, to_key, to_side[AttentionShape::key]);
    back_to_head(AttentionShape::value, h, to_value, to_side[AttentionShape::value]);
  }
  for (int side = 0; side < AttentionShape::output; ++side) back_to_input(input, side, to_side[side], to);
}

template class Attention<float>;
template class Attention<double>;

}  // namespace nvmlkit::dnn
