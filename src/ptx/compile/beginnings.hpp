// Where a piece of code cannot begin, whatever a warp has there.
#pragma once

#include "ptx/compile/barriers.hpp"
#include "ptx/compile/context.hpp"

namespace nvmlkit::ptx {

// The scheduler executes it, in the interpreter.
inline bool is_for_scheduler(const Instruction& i) {
  switch (i.kind) {
    case Kind::plain:
    case Kind::guarded:
    case Kind::branch:
      return false;
    case Kind::converge:
      return i.guard.is_there();
    default:
      return true;
  }
}

// No need to ask the compiler.
inline bool may_begin_at(const Instruction& i, const CodeContext& warp) {
  return !is_for_scheduler(i) || (is_of_all_threads(i) && warp.is_whole != 0);
}

}  // namespace nvmlkit::ptx
