#include "libraries/dnn/layout.hpp"

namespace nvmlkit::dnn {

std::int64_t product(const Sizes& sizes) {
  std::int64_t out = 1;
  for (const auto size : sizes) out *= size;
  return out;
}

Sizes dense_strides(const Sizes& sizes) {
  Sizes out(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t k = sizes.size(); k-- > 0; stride *= sizes[k]) out[k] = stride;
  return out;
}

std::int64_t Layout::count() const { return product(sizes); }

Layout Layout::without_vectors() const {
  Layout out{type, sizes, strides};
  for (auto& stride : out.strides) stride *= vector;
  out.sizes[1] /= vector;
  out.sizes.insert(out.sizes.begin() + 2, vector);
  out.strides.insert(out.strides.begin() + 2, 1);
  return out;
}

std::int64_t Layout::extent() const {
  if (vector > 1) return without_vectors().extent();
  std::int64_t last = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (sizes[k] <= 0) return 0;
    last += (sizes[k] - 1) * strides[k];
  }
  return last + 1;
}

bool Layout::is_dense() const {
  if (vector > 1) return false;
  const auto dense = dense_strides(sizes);
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (sizes[k] != 1 && strides[k] != dense[k]) return false;
  return true;
}

Walk walk(const Sizes& sizes, const Sizes& first, const Sizes& second) {
  Walk out;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (sizes[k] == 1) continue;
    if (!out.sizes.empty() && out.first.back() == first[k] * sizes[k] && out.second.back() == second[k] * sizes[k]) {
      out.sizes.back() *= sizes[k];
      out.first.back() = first[k], out.second.back() = second[k];
      continue;
    }
    out.sizes.push_back(sizes[k]);
    out.first.push_back(first[k]), out.second.push_back(second[k]);
  }
  if (out.sizes.empty()) out = {{1}, {1}, {1}};
  return out;
}

}  // namespace nvmlkit::dnn
