#include "libraries/dnn/array.hpp"

#include <cstring>
#include <type_traits>

#include "libraries/blas/convert.hpp"

namespace nvmlkit::dnn {
namespace {

blas::Type blas_type(Type type) {
  switch (type) {
    case Type::f64:
      return blas::Type::f64;
    case Type::f16:
      return blas::Type::f16;
    case Type::i8:
      return blas::Type::i8;
    case Type::i32:
      return blas::Type::i32;
    case Type::u8:
      return blas::Type::u8;
    case Type::bf16:
      return blas::Type::bf16;
    case Type::e4m3:
      return blas::Type::e4m3;
    case Type::e5m2:
      return blas::Type::e5m2;
    default:
      return blas::Type::f32;
  }
}

template <class T>
inline constexpr Type kOwn = std::is_same_v<T, float> ? Type::f32 : Type::f64;

// Elements of `size` bytes with a step, without gaps.
template <class Element>
void gather_of(const void* from, std::int64_t step, std::int64_t count, void* to) {
  const auto* const a = static_cast<const Element*>(from);
  auto* const b = static_cast<Element*>(to);
  for (std::int64_t k = 0; k < count; ++k) b[k] = a[k * step];
}
void gather(std::size_t size, const void* from, std::int64_t step, std::int64_t count, void* to) {
  if (size == 1) return gather_of<std::uint8_t>(from, step, count, to);
  if (size == 2) return gather_of<std::uint16_t>(from, step, count, to);
  if (size == 4) return gather_of<std::uint32_t>(from, step, count, to);
  gather_of<std::uint64_t>(from, step, count, to);
}
template <class Element>
void scatter_of(const void* from, void* to, std::int64_t step, std::int64_t count) {
  const auto* const a = static_cast<const Element*>(from);
  auto* const b = static_cast<Element*>(to);
  for (std::int64_t k = 0; k < count; ++k) b[k * step] = a[k];
}
void scatter(std::size_t size, const void* from, void* to, std::int64_t step, std::int64_t count) {
  if (size == 1) return scatter_of<std::uint8_t>(from, to, step, count);
  if (size == 2) return scatter_of<std::uint16_t>(from, to, step, count);
  if (size == 4) return scatter_of<std::uint32_t>(from, to, step, count);
  scatter_of<std::uint64_t>(from, to, step, count);
}

}  // namespace

template <class T>
void load_row(Type type, const void* from, std::int64_t count, T* to) {
  if (type == kOwn<T>) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
  } else if (type == Type::i64) {
    for (std::int64_t k = 0; k < count; ++k) to[k] = static_cast<T>(static_cast<const std::int64_t*>(from)[k]);
  } else if (type == Type::boolean) {
    for (std::int64_t k = 0; k < count; ++k) to[k] = static_cast<const std::uint8_t*>(from)[k] ? T{1} : T{0};
  } else {
    blas::load(blas_type(type), from, count, to);
  }
}

template <class T>
void store_row(Type type, const T* from, std::int64_t count, void* to) {
  if (type == kOwn<T>) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
  } else if (type == Type::i64) {
    for (std::int64_t k = 0; k < count; ++k) static_cast<std::int64_t*>(to)[k] = static_cast<std::int64_t>(from[k]);
  } else if (type == Type::boolean) {
    for (std::int64_t k = 0; k < count; ++k) static_cast<std::uint8_t*>(to)[k] = from[k] != T{0};
  } else {
    blas::store(blas_type(type), from, count, to);
  }
}

template <class T>
Array<T> load(const Layout& layout, const void* from) {
  if (layout.vector > 1) return load<T>(layout.without_vectors(), from).reshaped(layout.sizes);
  if (layout.type == kOwn<T> && layout.is_dense()) return Array<T>(layout.sizes, static_cast<const T*>(from));
  Array<T> out(layout.sizes);
  if (out.count() == 0) return out;
  const std::size_t size = size_of(layout.type);
  const auto* const bytes = static_cast<const char*>(from);
  const Walk way = walk(layout.sizes, layout.strides, dense_strides(layout.sizes));
  const std::int64_t count = way.sizes.back(), step = way.first.back();
  std::vector<std::uint64_t> row((static_cast<std::size_t>(count) * size + 7) / 8);
  way.rows([&](std::int64_t a, std::int64_t b) {
    const void* source = bytes + static_cast<std::size_t>(a) * size;
    if (step != 1) {
      gather(size, source, step, count, row.data());
      source = row.data();
    }
    load_row(layout.type, source, count, out.edit() + b);
  });
  return out;
}

template <class T>
void store(const Array<T>& elements, const Layout& layout, void* to, double alpha, double beta) {
  if (layout.vector > 1) {
    const auto plain = layout.without_vectors();
    return store(Array<T>(plain.sizes, elements.data()), plain, to, alpha, beta);
  }
  if (elements.count() == 0) return;
  const std::size_t size = size_of(layout.type);
  auto* const bytes = static_cast<char*>(to);
  const Walk way = walk(layout.sizes, layout.strides, dense_strides(layout.sizes));
  const std::int64_t count = way.sizes.back(), step = way.first.back();
  std::vector<std::uint64_t> row((static_cast<std::size_t>(count) * size + 7) / 8);
  std::vector<T> made(static_cast<std::size_t>(count)), before(made.size());
  way.rows([&](std::int64_t a, std::int64_t b) {
    void* const place = bytes + static_cast<std::size_t>(a) * size;
    const T* source = elements.data() + b;
    if (alpha != 1 || beta != 0) {
      if (beta != 0) {
        gather(size, place, step, count, row.data());
        load_row(layout.type, row.data(), count, before.data());
      }
      for (std::int64_t k = 0; k < count; ++k) {
        const auto i = static_cast<std::size_t>(k);
        made[i] = static_cast<T>(alpha * source[k] + (beta != 0 ? beta * before[i] : 0));
      }
      source = made.data();
    }
    if (step == 1) return store_row(layout.type, source, count, place);
    store_row(layout.type, source, count, row.data());
    scatter(size, row.data(), place, step, count);
  });
}

template <class T>
Array<T> in_tf32(const Array<T>& from) {
  if constexpr (std::is_same_v<T, double>) {
    return from;
  } else {
    Array<T> out(from.sizes());
    blas::load(blas::Type::f32, from.data(), from.count(), out.edit(), blas::Rounding::tf32);
    return out;
  }
}

template <class T>
Array<T> broadcast(const Array<T>& from, const Sizes& sizes) {
  if (from.sizes() == sizes) return from;
  Sizes strides = dense_strides(from.sizes());
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (from.size(k) == 1 && sizes[k] != 1) strides[k] = 0;
  return load<T>({kOwn<T>, sizes, strides}, from.data());
}

#define NVMLKIT_DNN_FOR(T)                                                    \
  template Array<T> load(const Layout&, const void*);                         \
  template void store(const Array<T>&, const Layout&, void*, double, double); \
  template void load_row(Type, const void*, std::int64_t, T*);                \
  template void store_row(Type, const T*, std::int64_t, void*);               \
  template Array<T> in_tf32(const Array<T>&);                                 \
  template Array<T> broadcast(const Array<T>&, const Sizes&)
NVMLKIT_DNN_FOR(float);
NVMLKIT_DNN_FOR(double);
#undef NVMLKIT_DNN_FOR

}  // namespace nvmlkit::dnn
