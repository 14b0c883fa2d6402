// Instructions that end a turn by compiled code: barriers that all threads of a block come to, and the end of threads.
#pragma once

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

// The most common kinds: no guard, no count of threads. `bar.red` has a result.
inline bool is_of_all_threads(const Instruction& i) {
  const bool waits = i.detail == 's' || i.d.is_there();
  return i.kind == Kind::barrier && waits && !i.guard.is_there() && !i.b.is_there();
}

// Nothing is left for code. Many kernels have one end, to which their lanes come at different times.
inline bool ends_threads(const Instruction& i) {
  return (i.kind == Kind::ret || i.kind == Kind::exit) && !i.guard.is_there();
}

}  // namespace nvmlkit::ptx
