#include "libraries/blas/compute.hpp"

namespace nvmlkit::blas {

bool meaning_of(int compute, Type result, bool has_tf32, Meaning& out) {
  const bool complex = is_complex(result);
  const auto in_single = [&](Rounding rounding) {
    out = {complex ? Sum::c32 : Sum::f32, rounding, complex ? Type::c32 : Type::f32};
    return true;
  };
  switch (compute) {
    case 64:  // 16F, and its pedantic one
    case 65:
      out = {Sum::f32, Rounding::none, Type::f16};
      return !complex;
    case 68:  // 32F, pedantic, and emulated by three bfloat16
    case 69:
    case 78:
      return in_single(Rounding::none);
    case 74:
      return in_single(Rounding::f16);
    case 75:
      return in_single(Rounding::bf16);
    case 77:
      return in_single(has_tf32 ? Rounding::tf32 : Rounding::none);
    case 70:  // 64F, pedantic, and emulated by integers
    case 71:
    case 79:
      out = {complex ? Sum::c64 : Sum::f64, Rounding::none, complex ? Type::c64 : Type::f64};
      return true;
    case 72:  // 32I
    case 73:
      out = {Sum::i32, Rounding::none, Type::i32};
      return result == Type::i32 || result == Type::i8;
  }
  return false;
}

bool is_input_of(Sum sum, Type type) {
  switch (sum) {
    case Sum::i32:
      return type == Type::i8;
    case Sum::f64:
      return type == Type::f64;
    case Sum::c64:
      return type == Type::c64;
    case Sum::c32:
      return type == Type::c32 || type == Type::ci8;
    case Sum::f32:
      return type == Type::f32 || type == Type::f16 || type == Type::bf16 || type == Type::i8 || type == Type::e4m3 ||
             type == Type::e5m2;
  }
  return false;
}

}  // namespace nvmlkit::blas
