// The four scalars that LAPACK computes with, from a cudaDataType. Each library has an enum of its own for it.
#pragma once

#include "libraries/blas/types.hpp"

namespace nvmlkit::blas {

// work(T{}) of the scalar of a type; `otherwise` for the other types.
template <class Status, class DataType, class Work>
Status for_scalar(DataType type, Status otherwise, Work work) {
  switch (static_cast<Type>(type)) {
    case Type::f32:
      return work(float{});
    case Type::f64:
      return work(double{});
    case Type::c32:
      return work(Complex{});
    case Type::c64:
      return work(DoubleComplex{});
    default:
      return otherwise;
  }
}

template <class DataType>
constexpr bool is_scalar(DataType type) {
  const auto of = static_cast<Type>(type);
  return of == Type::f32 || of == Type::f64 || of == Type::c32 || of == Type::c64;
}

// The real scalar of a scalar.
template <class DataType>
constexpr DataType real_of(DataType type) {
  const auto of = static_cast<Type>(type);
  return of == Type::c32 ? static_cast<DataType>(Type::f32) : of == Type::c64 ? static_cast<DataType>(Type::f64) : type;
}

}  // namespace nvmlkit::blas
