// Sparse left matrices: half of the elements are zero and are not stored. A register of each lane selects the others.
#pragma once

#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx {

struct SparseRows {
  Type type;
  unsigned depth;  // of a row with its zeros

  // Bits that select the elements of a row; 0: another form.
  unsigned bits() const;
  // 16 rows of a warp. `selector` selects the lanes of four with the bits, if not all have them.
  void expand(const Warp& warp, Operand places, unsigned selector, const double* stored, double* out) const;
};

}  // namespace nvmlkit::ptx
