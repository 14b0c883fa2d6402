// Operations on two numbers of one type, for registers, memory, and the lanes of a warp.
#pragma once

#include <type_traits>

#include "ptx/instructions/numbers/numbers.hpp"

namespace nvmlkit::ptx {

struct Add {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return wrapped<T>(std::uint64_t(a) + std::uint64_t(b));
    else
      return a + b;
  }
};

struct Least {
  template <class T>
  static T of(T a, T b) {
    return b < a ? b : a;
  }
};
struct Greatest {
  template <class T>
  static T of(T a, T b) {
    return a < b ? b : a;
  }
};

struct And {
  template <class T>
  static T of(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T of(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T of(T a, T b) {
    return a ^ b;
  }
};

// What becomes of a number in memory.
struct Replace {
  template <class T>
  static T of(T, T b) {
    return b;
  }
};
// Counts from 0 to b and from 0 again.
struct Increment {
  template <class T>
  static T of(T a, T b) {
    return a >= b ? T{0} : static_cast<T>(a + 1);
  }
};
// Counts from b to 0 and from b again.
struct Decrement {
  template <class T>
  static T of(T a, T b) {
    return a == 0 || a > b ? b : static_cast<T>(a - 1);
  }
};

}  // namespace nvmlkit::ptx
