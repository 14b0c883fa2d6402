// Numbers rounded to whole ones.
#pragma once

#include <cmath>

#include "ptx/types.hpp"

namespace nvmlkit::ptx {

// Ties go to even numbers, whatever the host's mode is. What is infinite or no number stays so.
template <class S>
inline S whole(S v, Rounding rounding) {
  switch (rounding) {
    case Rounding::zero:
      return std::trunc(v);
    case Rounding::down:
      return std::floor(v);
    case Rounding::up:
      return std::ceil(v);
    case Rounding::nearest:
      break;
  }
  if constexpr (sizeof v == 4) return ::roundevenf(v);
  return static_cast<S>(::roundeven(v));
}

}  // namespace nvmlkit::ptx
