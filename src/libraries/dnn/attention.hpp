// Attention of several heads, forward and back: out = softmax(scale * q k^T) v of each head, between projections.
#pragma once

#include <vector>

#include "libraries/dnn/attention_shape.hpp"

namespace nvmlkit::dnn {

// The keys that a query looks at, the last one excluded.
struct Window {
  std::int64_t from = 0, to = 0;
};

// Queries with the keys and values that they look at, row by row.
template <class T>
struct AttentionInput {
  std::int64_t queries, keys;
  std::vector<T> rows[AttentionShape::output];
};

// Null where a gradient is not asked for. They are added to.
template <class T>
struct AttentionGradients {
  T* rows[AttentionShape::output];
  T* weights;
};

template <class T>
class Attention {
 public:
  // `weights` stay where they are.
  Attention(const AttentionShape& shape, const T* weights) : shape_(shape), weights_(weights) {}

  // How much of each key a query takes, as [heads, queries, keys].
  std::vector<T> shares(const AttentionInput<T>& input, const Window* windows) const;
  // Of shares that dropout may have changed.
  std::vector<T> forward(const AttentionInput<T>& input, const std::vector<T>& shares) const;
  // `factors`: of dropout, by which the shares were multiplied; empty without.
  void back(const AttentionInput<T>& input, const std::vector<T>& shares, const std::vector<T>& factors,
            const std::vector<T>& gradient, const AttentionGradients<T>& to) const;

 private:
  std::int64_t count(const AttentionInput<T>& input, int side) const;
  // The vectors of all heads, as [count, heads * of_head]; empty: those of the input serve each head.
  std::vector<T> project(const AttentionInput<T>& input, int side) const;
  std::vector<T> head(const AttentionInput<T>& input, int side, const std::vector<T>& projected, std::int64_t h) const;
  // What all heads found, as [queries, heads * of_head(value)].
  std::vector<T> found(const AttentionInput<T>& input, const std::vector<T>& shares) const;
  void back_to_output(const AttentionInput<T>& input, const std::vector<T>& found, const std::vector<T>& gradient,
                      T* weights, std::vector<T>& to_found) const;
  void back_to_head(int side, std::int64_t h, const std::vector<T>& gradient, std::vector<T>& to) const;
  void back_to_input(const AttentionInput<T>& input, int side, const std::vector<T>& gradient,
                     const AttentionGradients<T>& to) const;

  const AttentionShape& shape_;
  const T* weights_;
};

extern template class Attention<float>;
extern template class Attention<double>;

}  // namespace nvmlkit::dnn
