// Tensors as the functions of this room compute with them: float or double, dense, in the order of their sizes.
#pragma once

#include <utility>

#include "libraries/dnn/layout.hpp"

namespace nvmlkit::dnn {

template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(Sizes sizes, T value = T{})
      : sizes_(std::move(sizes)), own_(static_cast<std::size_t>(product(sizes_)), value) {}
  // Elements of somebody else, which stay where they are.
  Array(Sizes sizes, const T* elements) : sizes_(std::move(sizes)), borrowed_(elements) {}

  const Sizes& sizes() const { return sizes_; }
  std::int64_t size(std::size_t dimension) const { return sizes_[dimension]; }
  std::int64_t count() const { return product(sizes_); }
  const T* data() const { return borrowed_ ? borrowed_ : own_.data(); }
  const T& operator[](std::int64_t k) const { return data()[k]; }
  // Of an array with elements of its own.
  T* edit() { return own_.data(); }
  Array reshaped(Sizes sizes) const& {
    Array out(*this);
    out.sizes_ = std::move(sizes);
    return out;
  }
  Array reshaped(Sizes sizes) && {
    sizes_ = std::move(sizes);
    return std::move(*this);
  }

 private:
  Sizes sizes_;
  std::vector<T> own_;
  const T* borrowed_ = nullptr;
};

// The elements of a tensor. Those that are dense and of the type are borrowed.
template <class T>
Array<T> load(const Layout& layout, const void* from);

// to = alpha * elements + beta * to. With beta = 0 what was there is not read. Sizes are those of the layout.
template <class T>
void store(const Array<T>& elements, const Layout& layout, void* to, double alpha = 1, double beta = 0);

// `count` elements that lie without gaps.
template <class T>
void load_row(Type type, const void* from, std::int64_t count, T* to);
template <class T>
void store_row(Type type, const T* from, std::int64_t count, void* to);

// Floats as TF32 has them; doubles as they are.
template <class T>
Array<T> in_tf32(const Array<T>& from);

// Elements repeated along dimensions of size 1.
template <class T>
Array<T> broadcast(const Array<T>& from, const Sizes& sizes);

}  // namespace nvmlkit::dnn
