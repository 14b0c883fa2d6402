// Elements of tensors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nvmlkit::dnn {

// With the numbers of cudnnDataType_t.
enum class Type : int {
  f32 = 0,
  f64 = 1,
  f16 = 2,
  i8 = 3,
  i32 = 4,
  u8 = 6,
  bf16 = 9,
  i64 = 10,
  boolean = 11,
  e4m3 = 12,
  e5m2 = 13,
};

// Bytes of an element; 0: not a type that is simulated.
constexpr std::size_t size_of(Type type) {
  switch (type) {
    case Type::i8:
    case Type::u8:
    case Type::boolean:
    case Type::e4m3:
    case Type::e5m2:
      return 1;
    case Type::f16:
    case Type::bf16:
      return 2;
    case Type::f32:
    case Type::i32:
      return 4;
    case Type::f64:
    case Type::i64:
      return 8;
  }
  return 0;
}

}  // namespace nvmlkit::dnn
