// Barriers that all threads of a block come to.
#pragma once

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

// The most common kind: no guard, no count of threads, no result.
inline bool is_of_all_threads(const Instruction& i) {
  return i.kind == Kind::barrier && i.detail == 's' && !i.guard.is_there() && !i.b.is_there();
}

}  // namespace nvmlkit::ptx
