// What the compute types of products stand for. The numbers are those of cublasComputeType_t.
#pragma once

#include "libraries/blas/product.hpp"

namespace nvmlkit::blas {

struct Meaning {
  Sum sum{};
  Rounding rounding = Rounding::none;
  Type scalar{};  // of alpha and beta
};

// False for a number that is none, or that is not for results of this type. `has_tf32`: the GPU rounds so.
NVMLKIT_BLAS bool meaning_of(int compute, Type result, bool has_tf32, Meaning& out);

constexpr bool is_of_8_bits(Type type) { return type == Type::e4m3 || type == Type::e5m2; }

// Whether units for matrices multiply such inputs as numbers of 16 bits, of 8, or as TF32.
constexpr bool is_narrow(const Meaning& meaning, Type input) {
  switch (input) {
    case Type::f16:
    case Type::bf16:
    case Type::c16:
    case Type::cbf16:
    case Type::e4m3:
    case Type::e5m2:
    case Type::i8:
    case Type::ci8:
      return true;
    default:
      return meaning.rounding != Rounding::none;
  }
}

// Whether inputs of the type may be added up so.
NVMLKIT_BLAS bool is_input_of(Sum sum, Type type);

}  // namespace nvmlkit::blas
