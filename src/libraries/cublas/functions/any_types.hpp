// Vectors and scalars of any types, as complex numbers of double precision.
#pragma once

#include <algorithm>
#include <vector>

#include "libraries/cublas/functions/vectors.hpp"

namespace nvmlkit::cublas::functions {

using blas::Type;
using Numbers = std::vector<DoubleComplex>;

// A vector as complex numbers of double precision.
inline Numbers load(Running& running, Type type, std::int64_t n, const void* x, std::int64_t step) {
  Numbers out(static_cast<std::size_t>(std::max<std::int64_t>(n, 0)));
  const auto size = static_cast<std::int64_t>(blas::size_of(type));
  const auto* const bytes = static_cast<const char*>(running.read(x, span_of(n, step), blas::size_of(type)));
  if (step == 1) {
    blas::load(type, bytes, n, out.data());
    return out;
  }
  const auto* const first = step < 0 ? bytes - (n - 1) * step * size : bytes;
  for (std::int64_t k = 0; k < n; ++k)
    out[static_cast<std::size_t>(k)] = blas::load_one<DoubleComplex>(type, first + k * step * size);
  return out;
}

inline void store(Running& running, Type type, const Numbers& numbers, void* x, std::int64_t step) {
  const auto n = static_cast<std::int64_t>(numbers.size());
  const auto size = static_cast<std::int64_t>(blas::size_of(type));
  auto* const bytes = static_cast<char*>(running.write(x, span_of(n, step), blas::size_of(type)));
  auto* const first = step < 0 ? bytes - (n - 1) * step * size : bytes;
  for (std::int64_t k = 0; k < n; ++k)
    blas::store(type, &numbers[static_cast<std::size_t>(k)], 1, first + k * step * size);
}

inline bool are_known(std::initializer_list<cudaDataType> types) {
  return std::all_of(types.begin(), types.end(), [](auto type) { return blas::size_of(Type(type)) > 0; });
}

// A scalar of any type, of the host or of the device.
struct AnyPlace {
  const void* address;
  Type type;
  bool is_of_host;
  DoubleComplex value{};

  AnyPlace(const Call& call, const void* pointer, cudaDataType of)
      : address(pointer), type(Type(of)), is_of_host(call.has_host_pointers()) {
    if (is_of_host) value = blas::load_one<DoubleComplex>(type, pointer);
  }
  DoubleComplex get(Running& running) const {
    return is_of_host ? value : blas::load_one<DoubleComplex>(type, running.read(address, 1, blas::size_of(type)));
  }
};

}  // namespace nvmlkit::cublas::functions
