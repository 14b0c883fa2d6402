// Sparse left matrices: half of the elements are zero and are not stored. A register of each lane selects the others.
#pragma once

#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx {

struct SparseRows {
  Type type;
  unsigned depth;  // of a row with its zeros

  // Bits that say of a row which elements it has; 0: not so.
  unsigned bits() const;
  // 16 rows of a warp. `selector` says which lanes of four hold the bits, where not all do.
  void expand(const Warp& warp, Operand places, unsigned selector, const double* stored, double* out) const;
};

}  // namespace nvmlkit::ptx
