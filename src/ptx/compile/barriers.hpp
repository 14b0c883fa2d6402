// Instructions that end a turn by compiled code: barriers that all threads of a block come to, and the end of threads.
#pragma once

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

// No guard, no count of threads. It may have a result, of a predicate of each thread.
inline bool is_met_by_all_threads(const Instruction& i) {
  const bool is_of_block = i.detail == 's' || i.detail == 'p' || i.detail == '&' || i.detail == '|';
  return i.kind == Kind::barrier && is_of_block && !i.guard.is_there() && !i.b.is_there();
}

// The most common kind: no result either.
inline bool is_of_all_threads(const Instruction& i) { return is_met_by_all_threads(i) && i.detail == 's'; }

// Nothing is left for code. Many kernels have one end, to which their lanes come at different times.
inline bool ends_threads(const Instruction& i) {
  return (i.kind == Kind::ret || i.kind == Kind::exit) && !i.guard.is_there();
}

}  // namespace nvmlkit::ptx
