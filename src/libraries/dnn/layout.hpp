// Where the elements of a tensor lie.
#pragma once

#include <vector>

#include "libraries/dnn/types.hpp"

namespace nvmlkit::dnn {

using Sizes = std::vector<std::int64_t>;

// With `vector` above 1, so many channels lie side by side: strides count vectors, and that of the channels leads to
// the next vector.
struct Layout {
  Type type = Type::f32;
  Sizes sizes, strides;  // of elements
  std::int64_t vector = 1;

  std::int64_t count() const;
  // Elements from the first to the last one, with what lies between them.
  std::int64_t extent() const;
  bool is_dense() const;  // in the order of the sizes
  // The same elements without vectors: the place in a vector is a dimension of its own, behind that of the vectors.
  Layout without_vectors() const;
};

std::int64_t product(const Sizes& sizes);
// Strides of elements that lie in the order of the sizes.
Sizes dense_strides(const Sizes& sizes);

// Dimensions with a size and strides on two sides, joined where that changes nothing.
struct Walk {
  Sizes sizes, first, second;

  // Rows along the last dimension: work(offset of the first side, of the second side).
  template <class Work>
  void rows(Work work) const {
    const std::size_t outer = sizes.size() - 1;
    Sizes at(outer, 0);
    for (std::int64_t a = 0, b = 0;;) {
      work(a, b);
      std::size_t k = outer;
      for (; k > 0; --k) {
        a += first[k - 1], b += second[k - 1];
        if (++at[k - 1] < sizes[k - 1]) break;
        a -= first[k - 1] * sizes[k - 1], b -= second[k - 1] * sizes[k - 1], at[k - 1] = 0;
      }
      if (k == 0) return;
    }
  }
};
// All sizes are above 0.
Walk walk(const Sizes& sizes, const Sizes& first, const Sizes& second);

}  // namespace nvmlkit::dnn
