// Operations on two numbers of one type, for registers, memory, and the lanes of a warp.
#pragma once

#include <cmath>
#include <limits>
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

struct Sub {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return wrapped<T>(std::uint64_t(a) - std::uint64_t(b));
    else
      return a - b;
  }
};

struct Mul {
  template <class T>
  static T of(T a, T b) {
    if constexpr (sizeof(T) == 4 && std::is_integral_v<T>)
      return wrapped<T>(std::uint32_t(a) * std::uint32_t(b));
    else if constexpr (std::is_integral_v<T>)
      return wrapped<T>(std::uint64_t(a) * std::uint64_t(b));
    else
      return a * b;
  }
};

// Of floats, of which one may be no number.
template <bool least, bool keeps_nan>
struct Extreme {
  template <class T>
  static T of(T a, T b) {
    if (a != a || b != b) return keeps_nan || (a != a && b != b) ? std::numeric_limits<T>::quiet_NaN() : a != a ? b : a;
    if (a == b) return std::signbit(a) == least ? a : b;
    return (a < b) == least ? a : b;
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
