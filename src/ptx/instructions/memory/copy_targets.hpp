// The blocks of a cluster that a bulk copy to shared memory goes to.
#pragma once

#include "ptx/instructions/memory/bulk_copies.hpp"
#include "ptx/run/group.hpp"

namespace nvmlkit::ptx {

// Places in Function::operands: the address, its barrier, and the mask of blocks.
struct CopyTargets {
  unsigned memory, barrier, blocks;

  // Calls f(address, barrier) for each block that the copy of a lane goes to, until it returns false.
  template <class F>
  bool each(const Warp& w, const Instruction& i, unsigned lane, F f) const {
    const auto to = number_at(w, i, memory, lane);
    const auto told = has_operand(w, i, barrier) ? number_at(w, i, barrier, lane) : 0;
    if (!has_operand(w, i, blocks)) return f(to, told);
    const auto mask = w.at<std::uint16_t>(w.frame().function->operands[i.side + blocks])[lane];
    for (unsigned rank = 0; rank < 16; ++rank) {
      const auto window = Group::window_of(rank);
      if ((mask >> rank & 1) && !f(window | Group::offset_of(to), window | Group::offset_of(told))) return false;
    }
    return true;
  }
};

}  // namespace nvmlkit::ptx
