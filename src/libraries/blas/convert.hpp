// Rows of numbers from one type to another.
#pragma once

#include "libraries/blas/types.hpp"

#define NVMLKIT_BLAS __attribute__((visibility("default")))

namespace nvmlkit::blas {

// Inputs that a compute type lets tensor cores round.
enum class Rounding { none, tf32, f16, bf16 };

// `count` elements of any real or complex type, as float, double or a complex of them; a step of 1.
template <class T>
NVMLKIT_BLAS void load(Type type, const void* from, std::int64_t count, T* to, Rounding rounding = Rounding::none);

// The other way, rounded to nearest; integers are saturated.
template <class T>
NVMLKIT_BLAS void store(Type type, const T* from, std::int64_t count, void* to);

// One element.
template <class T>
T load_one(Type type, const void* from) {
  T out{};
  load(type, from, 1, &out);
  return out;
}

}  // namespace nvmlkit::blas
