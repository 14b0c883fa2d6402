// A random convolution and its definition, on the CPU.
#pragma once

#include "library.hpp"

namespace nvmlkit::library_test {

struct ConvolutionCase {
  std::size_t space;
  Sizes x, w, y, pad, stride, dilation;
  std::int64_t groups;
  bool flips;

  explicit ConvolutionCase(Dice& dice, std::size_t dimensions = 0)
      : space(dimensions ? dimensions : static_cast<std::size_t>(dice.range(1, 3))),
        groups(dice.range(1, 3)),
        flips(dice.range(0, 3) == 0) {
    const int filters = dice.range(1, 3), channels = dice.range(1, 3);
    x = {dice.range(1, 3), groups * channels}, w = {groups * filters, channels}, y = {x[0], w[0]};
    for (std::size_t k = 0; k < space; ++k) {
      w.push_back(dice.range(1, 3));
      dilation.push_back(dice.range(1, 2)), stride.push_back(dice.range(1, 3)), pad.push_back(dice.range(0, 2));
      const auto reach = dilation[k] * (w[k + 2] - 1) + 1;
      x.push_back(std::max<std::int64_t>(1, reach - 2 * pad[k]) + dice.range(0, 5));
      y.push_back((x[k + 2] + 2 * pad[k] - reach) / stride[k] + 1);
    }
  }

  // Each product of the sum: work(place in x, in w, in y).
  template <class Work>
  void each(Work work) const {
    const auto at = [](const Sizes& sizes, std::int64_t k) {
      Sizes out(sizes.size());
      for (std::size_t d = sizes.size(); d-- > 0; k /= sizes[d]) out[d] = k % sizes[d];
      return out;
    };
    for (std::int64_t i = 0; i < count_of(y); ++i)
      for (std::int64_t j = 0; j < count_of(w) / w[0]; ++j) {
        const Sizes to = at(y, i);
        Sizes filter = at(Sizes(w.begin() + 1, w.end()), j);
        std::int64_t place = to[0] * x[1] + to[1] / (w[0] / groups) * w[1] + filter[0];
        bool is_inside = true;
        for (std::size_t k = 0; k < space; ++k) {
          const auto tap = flips ? w[k + 2] - 1 - filter[k + 1] : filter[k + 1];
          const auto v = to[k + 2] * stride[k] - pad[k] + tap * dilation[k];
          is_inside = is_inside && v >= 0 && v < x[k + 2];
          place = place * x[k + 2] + v;
        }
        if (is_inside)
          work(static_cast<std::size_t>(place), static_cast<std::size_t>(to[1] * (count_of(w) / w[0]) + j),
               static_cast<std::size_t>(i));
      }
  }
};

}  // namespace nvmlkit::library_test
