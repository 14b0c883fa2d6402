// Numbers of matrices: the scalars that OpenBLAS computes with, and those that are only stored.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "ptx/narrow_floats.hpp"

namespace nvmlkit::blas {

using Complex = std::complex<float>;
using DoubleComplex = std::complex<double>;
using Half = ptx::Half;
using Bfloat16 = ptx::Bfloat;

// With the numbers of cudaDataType.
enum class Type : int {
  f32 = 0,
  f64 = 1,
  f16 = 2,
  i8 = 3,
  c32 = 4,  // of two f32
  c64 = 5,
  c16 = 6,
  ci8 = 7,
  u8 = 8,
  i32 = 10,
  bf16 = 14,
  cbf16 = 15,
  e4m3 = 28,
  e5m2 = 29,
};

// Bytes of an element; 0: not a type that is simulated.
constexpr std::size_t size_of(Type type) {
  switch (type) {
    case Type::i8:
    case Type::u8:
    case Type::e4m3:
    case Type::e5m2:
      return 1;
    case Type::f16:
    case Type::bf16:
    case Type::ci8:
      return 2;
    case Type::f32:
    case Type::i32:
    case Type::c16:
    case Type::cbf16:
      return 4;
    case Type::f64:
    case Type::c32:
      return 8;
    case Type::c64:
      return 16;
  }
  return 0;
}

constexpr bool is_complex(Type type) {
  return type == Type::c32 || type == Type::c64 || type == Type::c16 || type == Type::ci8 || type == Type::cbf16;
}

template <class T>
struct TypeOf;
template <>
struct TypeOf<float> {
  static constexpr Type kValue = Type::f32;
};
template <>
struct TypeOf<double> {
  static constexpr Type kValue = Type::f64;
};
template <>
struct TypeOf<Complex> {
  static constexpr Type kValue = Type::c32;
};
template <>
struct TypeOf<DoubleComplex> {
  static constexpr Type kValue = Type::c64;
};
template <>
struct TypeOf<Half> {
  static constexpr Type kValue = Type::f16;
};
template <>
struct TypeOf<Bfloat16> {
  static constexpr Type kValue = Type::bf16;
};
template <class T>
inline constexpr Type kTypeOf = TypeOf<T>::kValue;

}  // namespace nvmlkit::blas
