// Register allocation. Compilers name a new register for each value. Registers that are never live together share one
// place, so that the data of a warp stays in the cache.
#pragma once

#include <cstdint>
#include <span>

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

// An instruction reads or writes a register, other than a predicate.
struct Mention {
  std::uint32_t at = 0;     // the instruction
  std::uint32_t place = 0;  // the register, by the offset that it was declared with
  std::uint32_t size = 0;   // bytes of a lane
  bool defines = false;     // it is written, for all lanes that are there, and not read
  bool remade = false;      // written by an instruction that a GPU's compiler repeats where the value is needed
};

// Changes the places in all operands of the function, and counts its registers. `mentions` are in the order of
// instructions. Predicates, which have none, each keep a place of their own.
void share_places(Function& function, std::span<const Mention> mentions);

}  // namespace nvmlkit::ptx
