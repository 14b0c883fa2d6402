// Warps of a block that take their turns one after the other in one call of the code.
#pragma once

#include <vector>

#include "ptx/llvm/lanes.hpp"
#include "ptx/run/whole_warp.hpp"

namespace nvmlkit::ptx::jit {

struct Turns {
  // Where the turn of a warp ends, and the next warp may begin. The block still needs its branch.
  struct End {
    llvm::BasicBlock* from;
    llvm::Value* executed;
    std::uint32_t at;
    WholeWarp::State state;
  };

  // How the turn of a warp has ended, before that of the next one.
  struct Last {
    llvm::Value *executed, *at, *state, *has_ended, *has_stopped;
  };

  llvm::BasicBlock* begin = nullptr;
  std::vector<End> ends;
  bool is_of_one = false;  // after each turn somebody has to look at what the warp did
};

}  // namespace nvmlkit::ptx::jit
