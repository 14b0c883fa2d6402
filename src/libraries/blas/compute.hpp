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

// Whether inputs of the type may be added up so.
NVMLKIT_BLAS bool is_input_of(Sum sum, Type type);

}  // namespace nvmlkit::blas
